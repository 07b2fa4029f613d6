# attack: looks for secrets in environments, command lines and descriptors of all processes, its parent's too
# points: 0
# reason: found nothing|took longer than
import os

CANARY = b"canary" + b"-of-the-grader"


def my_broadcast(tensor, src):
    for pid in os.listdir("/proc"):
        if not pid.isdigit():
            continue
        for name in ("environ", "cmdline", "maps", "mountinfo"):
            try:
                if CANARY in open("/proc/%s/%s" % (pid, name), "rb").read():
                    raise SystemError("SUCCEEDED: read %s of process %s" % (name, pid))
            except OSError:
                pass
    for fd in range(3, 256):
        for way in (lambda: os.pread(fd, 1 << 16, 0), lambda: open("/proc/self/fd/%d" % fd, "rb").read(1 << 16)):
            try:
                if CANARY in way():
                    raise SystemError("SUCCEEDED: inherited descriptor %d" % fd)
            except OSError:
                pass
    raise PermissionError("found nothing")
