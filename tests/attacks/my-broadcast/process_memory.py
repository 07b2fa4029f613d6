# attack: reads and writes the memory of other processes: /proc/*/mem, ptrace, process_vm_readv
# points: 0
# reason: reached nobody
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def my_broadcast(tensor, src):
    # Without the box's first process, bubblewrap's, which is no secret.
    for pid in {2, 3, os.getppid(), *(int(one) for one in os.listdir("/proc") if one.isdigit())}:
        if pid in (1, os.getpid()):
            continue
        try:
            open("/proc/%d/mem" % pid, "r+b")
            raise SystemError("SUCCEEDED: opened the memory of %d" % pid)
        except OSError:
            pass
        if libc.ptrace(16, pid, 0, 0) == 0:
            raise SystemError("SUCCEEDED: attached to %d" % pid)
        buffer = ctypes.create_string_buffer(64)
        local = Part(ctypes.addressof(buffer), 64)
        if libc.process_vm_readv(pid, ctypes.byref(local), 1, ctypes.byref(Part(0x400000, 64)), 1, 0) > 0:
            raise SystemError("SUCCEEDED: read from %d" % pid)
    raise PermissionError("reached nobody")
