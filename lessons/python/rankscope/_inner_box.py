"""A box for each rank, inside of the box that the ranks share.

The process that starts the ranks has loaded their libraries once; bubblewrap's boxes begin with another program, and
would load them again. It may make namespaces (CAP_SYS_ADMIN in the user namespace of its box), and gives each rank its
own processes, /tmp, /dev/shm, network and IPC; then the rank loses that right, and the filter of system calls holds.
"""
import ctypes
import os
import resource

_NEWNS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = 0x00020000, 0x08000000, 0x10000000, 0x20000000, 0x40000000
# Options of a rank's /tmp and /dev/shm, each a file system of its own, since shared free space would be a channel between
# ranks. They are small, and a rank has no others.
_OWN_FILES = b"size=16m,nr_inodes=2000,mode=700"
_NOSUID, _NODEV, _NOEXEC = 2, 4, 8
# The rank's own processes, without what the kernel counts for the whole machine, which any rank could change and see.
_ONLY_PROCESSES = b"subset=pid"
_MOST_SIGNALS = 256
_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 22, 38
_PR_CAP_AMBIENT, _CLEAR_ALL = 47, 4
_FIRST = "/rankscope/lib/first-process"  # engine/capi/first_process.cpp
_FILTER_MODE, _CAPS_VERSION_3 = 2, 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


class _CapHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def _check(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), "%s: %s" % (what, os.strerror(ctypes.get_errno())))


def _number(value):
    return ctypes.c_ulong(value)  # prctl reads whole registers


class InnerBoxes:
    """Makes the boxes of ranks. `filter` is the program for the kernel, as bytes."""

    def __init__(self, filter):
        self._filter = filter
        self._own_processes = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def fork(self):
        """Forks a child among processes that see no others, and returns its number and that of the first of them. The first
        is another program, since a fork would have to copy all that was loaded. The child stays in this process's network,
        which has no sockets."""
        _check(_libc.unshare(_NEWPID), "cannot make a namespace of processes")
        child, first = 1, None
        try:
            first = self._start_first()
            child = os.fork()
        except OSError as error:  # the grader looks for these words: others may have used all of it
            raise OSError("a rank's processes could not be started: %s" % error) from error
        finally:
            if child:  # otherwise the next child would be in the same namespace
                _check(_libc.setns(self._own_processes, _NEWPID), "cannot go on outside of a rank's processes")
        return child, first

    def _start_first(self):
        heard, says = os.pipe()
        try:
            first = os.posix_spawn(_FIRST, [_FIRST], {}, file_actions=[(os.POSIX_SPAWN_DUP2, says, 0)])
            os.close(says)
            says = None
            if os.read(heard, 1) != b".":  # it has given up its rights, and nobody can look into it
                raise OSError("the first of them ended")
            return first
        finally:
            os.close(heard)
            if says is not None:
                os.close(says)

    def enter(self, _rank):
        """Enters the box, in the child, before any of the student's code runs."""
        os.setsid()  # killing its own group kills no other process
        _check(_libc.unshare(_NEWNS | _NEWIPC | _NEWNET), "cannot make a rank's namespaces")
        flags = _number(_NOSUID | _NODEV | _NOEXEC)
        if _libc.mount(b"proc", b"/proc", b"proc", flags, _ONLY_PROCESSES) != 0:  # before Linux 5.8
            _check(_libc.mount(b"proc", b"/proc", b"proc", flags, None), "cannot show a rank its own processes")
        for where in ("/tmp", "/dev/shm"):
            _check(_libc.mount(b"tmpfs", where.encode(), b"tmpfs", _number(_NOSUID | _NODEV), _OWN_FILES),
                   "cannot give a rank its own %s" % where)
        os.chdir("/tmp")
        self._count_alone()
        give_up_privileges()
        set_filter(self._filter)

    @staticmethod
    def _count_alone():
        """Enters a user namespace of the rank's own, since the kernel counts a user's waiting signals in each. Where a
        system allows none in a box, ranks see that count of each other: engine/box/README.md says what follows."""
        user, group = os.getuid(), os.getgid()
        if _libc.unshare(_NEWUSER) != 0:
            return
        for name, text in (("setgroups", "deny"), ("gid_map", "%d %d 1" % (group, group)),
                           ("uid_map", "%d %d 1" % (user, user))):
            with open("/proc/self/" + name, "w", encoding="ascii") as file:
                file.write(text)
        # Few enough that all ranks together stay below what the user may have: nobody sees that limit reached.
        most = min(_MOST_SIGNALS, *(one for one in resource.getrlimit(resource.RLIMIT_SIGPENDING) if one >= 0))
        resource.setrlimit(resource.RLIMIT_SIGPENDING, (most, most))


def give_up_privileges():
    """Leaves this process no right of root's, for ever."""
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, _number(1), _number(0), _number(0), _number(0)),
           "cannot give up rights")
    _check(_libc.prctl(_PR_CAP_AMBIENT, _number(_CLEAR_ALL), _number(0), _number(0), _number(0)),
           "cannot give up rights")
    none = (ctypes.c_uint32 * 6)()
    _check(_libc.capset(ctypes.byref(_CapHeader(_CAPS_VERSION_3, 0)), none), "cannot give up rights")


def set_filter(filter):
    """Refuses system calls to this process, for ever."""
    text = ctypes.create_string_buffer(filter, len(filter))
    program = _Program(len(filter) // 8, ctypes.addressof(text))
    _check(_libc.prctl(_PR_SET_SECCOMP, _number(_FILTER_MODE), ctypes.byref(program), _number(0), _number(0)),
           "cannot set the filter of system calls")


def shared_memory_of_this_process():
    """Memory that forks would share: lines of /proc/self/maps."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        return [line.rstrip() for line in maps if line.split()[1][1] == "w" and line.split()[1][3] == "s"]
