# attack: io_uring, bpf, userfaultfd, fanotify, handles of processes, modules, swapping and clocks of the machine
# points: 0
# reason: all refused
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
CALLS = {"io_uring_setup": 425, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "fanotify_init": 300,
         "inotify_init1": 294, "process_vm_readv": 310, "ptrace": 101, "mount": 165, "open_tree": 428, "open_tree_attr": 467,
         "fsopen": 430, "mount_setattr": 442, "landlock_create_ruleset": 444, "memfd_secret": 447, "cachestat": 451,
         "kexec_load": 246, "settimeofday": 164, "clock_settime": 227, "swapon": 167, "reboot": 169, "setns": 308,
         "unshare": 272, "lookup_dcookie": 212, "map_shadow_stack": 453, "futex_wake": 454, "futex_wait": 455, "mseal": 462,
         "listmount": 458, "lsm_get_self_attr": 459}


def my_broadcast(tensor, src):
    for name, number in CALLS.items():
        if libc.syscall(number, 0, 0, 0, 0, 0, 0) >= 0 and name not in ("landlock_create_ruleset",):
            raise SystemError("SUCCEEDED: " + name)
        if number > 450 and ctypes.get_errno() != 38:
            raise SystemError("SUCCEEDED: %s is known: %s" % (name, os.strerror(ctypes.get_errno())))
    raise PermissionError("all refused")
