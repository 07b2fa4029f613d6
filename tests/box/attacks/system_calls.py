# What the filter of system calls refuses, called directly. Numbers of x86-64.
import ctypes, errno, os, platform
libc = ctypes.CDLL(None, use_errno=True)
calls = {
    "ptrace(TRACEME)": (101, 0), "ptrace(ATTACH)": (101, 16, 1), "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
    "unshare(NEWUSER)": (272, 0x10000000), "unshare(NEWNS)": (272, 0x20000), "setns": (308, 0, 0),
    "mount": (165, 0, 0, 0, 0, 0), "umount2": (166, 0, 0), "pivot_root": (155, 0, 0), "chroot": (161, 0),
    "open_tree": (428, 0, 0, 0), "fsopen": (430, 0, 0), "open_by_handle_at": (304, 0, 0, 0),
    "bpf": (321, 0, 0, 0), "perf_event_open": (298, 0, 0, 0, 0, 0), "userfaultfd": (323, 0),
    "io_uring_setup": (425, 1, 0), "keyctl": (250, 0, 0), "add_key": (248, 0, 0, 0, 0, 0),
    "kexec_load": (246, 0, 0, 0, 0), "init_module": (175, 0, 0, 0), "personality": (135, 0x0040000),
    "prctl(THP_DISABLE)": (157, 41, 0, 0, 0, 0),
    "clock_settime": (227, 0, 0), "settimeofday": (164, 0, 0), "sethostname": (170, 0, 0),
    "shmget": (29, 0, 4096, 0o1600), "mq_open": (240, 0, 0, 0, 0), "msgget": (68, 0, 0o1600),
    "clone(NEWUSER)": (56, 0x10000011, 0, 0, 0, 0), "clone(NEWPID)": (56, 0x20000011, 0, 0, 0, 0),
    "clone(PARENT)": (56, 0x8011, 0, 0, 0, 0),
    "pidfd_getfd": (438, 0, 0, 0), "syslog": (103, 3, 0, 0), "reboot": (169, 0, 0, 0, 0), "iopl": (172, 3),
    "ioctl(TIOCSTI)": (16, 0, 0x5412, 0), "ioctl(TIOCSTI) with more bits": (16, 0, 0x700005412, 0),
    "socket(INET) with more bits": (41, (1 << 32) | 2, 1, 0), "memfd_secret": (447, 0),
    "semget": (64, 0, 1, 0o1600), "mmap(SHARED | ANONYMOUS)": (9, 0, 4096, 3, 0x21, -1, 0),
    "mmap(SHARED_VALIDATE | ANONYMOUS)": (9, 0, 4096, 3, 0x23, -1, 0), "landlock_create_ruleset": (444, 0, 0, 1),
    "setsockopt(SNDBUF)": (54, -1, 1, 7, 0, 4), "setsockopt(RCVBUF)": (54, -1, 1, 8, 0, 4),
    "sendmsg": (46, -1, 0, 0), "sendmmsg": (307, -1, 0, 0, 0), "mincore": (27, 0, 0, 0),
    "setsockopt(SNDBUFFORCE)": (54, -1, 1, 32, 0, 4), "setsockopt(ATTACH_FILTER)": (54, -1, 1, 26, 0, 16),
}
absent = {"clone3": (435, 0, 0), "memfd_create": (319, 0, 0), "cachestat": (451, 0, 0, 0, 0),
          "open_tree_attr": (467, 0, 0, 0, 0, 0), "one of a later kernel": (2000, 0), "with more bits": (0x7fffffff, 0)}
if platform.machine() == "x86_64":
    for wanted, group in ((errno.EPERM, calls), (errno.ENOSYS, absent)):
        for name, numbers in group.items():
            ctypes.set_errno(0)
            result = libc.syscall(*[ctypes.c_long(number) for number in numbers])
            if result == 0 and name.startswith("clone"):
                os._exit(0)
            if result != -1 or ctypes.get_errno() != wanted:
                print(name, result, os.strerror(ctypes.get_errno()))
print("contained")
