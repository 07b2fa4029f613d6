"""Ranks as users of their own, where no boxes can be made.

The process that starts the ranks has the right to become other users. Each rank becomes one that nobody else is, loses
that right, and sees no files but those of the system, the program's and its own, where the kernel has Landlock
(landlock(7)); the filter of system calls holds for it as in a box. What is left of a way from rank to rank is in
engine/box/README.md.
"""
import ctypes
import json
import os
import struct
import sys
import tempfile

from . import _inner_box

USERS = "RANKSCOPE_USERS"  # of each rank its user and the folder that it may write, and the system's files

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on all processors
_VERSION = 1
_PATH_BENEATH = 1
_EXECUTE, _WRITE, _READ, _LIST = 1, 2, 4, 8
# By version of Landlock: rights on files, and the size of the structure that names them, with rights on networks and what else
# is kept within (abstract sockets, signals).
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_RIGHTS_SINCE_5 = 16
_SCOPES = 3

# A box has its own.
_SYSTEM = ("/etc/passwd", "/etc/group", "/sys/devices/system/cpu")
_DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")

_SET_DUMPABLE = 4
_LOOKS = 20

_libc = _inner_box._libc


class OtherUsers:
    """Starts each rank as the next user. `filter` is the program for the kernel, as bytes."""

    def __init__(self, filter, given, program):
        self._filter = filter
        self._program = program  # a compiled one, or None
        self._users, self._system = (json.loads(given)[name] for name in ("users", "system"))
        self._owners = {user: number for number, (user, _) in enumerate(self._users)}

    def fork(self):
        """Like InnerBoxes.fork(), but a rank's processes have no first one."""
        return os.fork(), None

    def enter(self, number):
        """Becomes the rank's user, in the child, before any of the student's code runs."""
        user, folder = self._users[number]
        os.setsid()
        common = os.getgid()  # may read the program
        os.setgroups([common])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        os.chdir(folder)
        os.environ.update(HOME=folder, TMPDIR=folder)
        tempfile.tempdir = folder  # it may know another one already
        _inner_box.give_up_privileges()
        _libc.prctl(_SET_DUMPABLE, _inner_box._number(1), 0, 0, 0)  # its own /proc belongs to it, as ever
        see_only(self._readable(), folder)
        _inner_box.set_filter(self._filter)

    def _readable(self):
        names = [os.environ.get("RANKSCOPE_SUBMISSION"), self._program,
                 os.path.dirname(os.environ.get("RANKSCOPE_LIBRARY", "")), os.path.dirname(os.path.dirname(__file__)),
                 sys.executable, *_SYSTEM, *self._system, *[one for one in sys.path if one not in ("", "/")]]
        return [name for name in names if name and os.path.exists(name)]

    def others(self, ranks, look):
        """Processes of the ranks' users beside their programs, as rows of rank and name. `look` lists processes, the newest
        first, so that one that goes on in a child again and again is met while it is there."""
        own = {process for rank in ranks for process in rank.running.values()}
        for _ in range(_LOOKS):
            seen, gone = look()
            found = [[self._owners[process.user], process.name] for number, process in seen.items()
                     if process.user in self._owners and number not in own and not process.ended]
            if found or not gone:
                return found
        return []


def see_only(readable, writable):
    """Lets this process and what it starts see these files alone, with itself in /proc, and have one folder to write in. Does
    nothing where the kernel cannot: the report says so (other_user_warning in engine/box)."""
    version = _libc.syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)
    if version < 1:
        return
    every = (1 << _RIGHTS.get(version, _RIGHTS_SINCE_5)) - 1
    attributes = struct.pack("=Q", every)
    if version >= 6:
        attributes += struct.pack("=QQ", 0, _SCOPES)
    rules = _libc.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        raise OSError(ctypes.get_errno(), "a rank's files cannot be limited")
    for name in readable:
        _allow(rules, name, _EXECUTE | _READ | (_LIST if os.path.isdir(name) else 0))
    for name in _DEVICES:
        _allow(rules, name, _READ | _WRITE)
    _allow(rules, "/proc/self", _READ | _LIST)
    _allow(rules, writable, every)
    if _libc.syscall(_RESTRICT, rules, 0) != 0:
        raise OSError(ctypes.get_errno(), "a rank's files cannot be limited")
    os.close(rules)


def _allow(rules, name, rights):
    at = os.open(name, os.O_PATH | os.O_CLOEXEC)
    beneath = struct.pack("=Qi", rights, at)
    failed = _libc.syscall(_ADD, rules, _PATH_BENEATH, beneath, 0)
    os.close(at)
    if failed:
        raise OSError(ctypes.get_errno(), "a rank cannot be let see %s" % name)
