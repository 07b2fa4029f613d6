"""Tries to change clocks, priorities and limits."""

import ctypes, os, resource, signal, time
signal.setitimer(signal.ITIMER_REAL, 1000)
signal.setitimer(signal.ITIMER_VIRTUAL, 1000)
for change in (lambda: time.clock_settime(time.CLOCK_REALTIME, 0),
               lambda: os.nice(-20),
               lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))):
    try:
        change()
        print("changed a clock or a priority")
    except OSError:
        pass
for name in ("RLIMIT_CPU", "RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CORE"):
    limit = getattr(resource, name)
    try:
        resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print("lifted", name)
    except (OSError, ValueError):
        pass
print("contained", flush=True)
signal.alarm(1)
time.sleep(1000)
