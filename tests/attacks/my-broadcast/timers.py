# attack: patches clocks and timers, so that its time never runs out
# points: 0
# reason: the run takes too long|did not stop
import signal
import sys
import time

for name in ("time", "monotonic", "perf_counter", "time_ns", "monotonic_ns"):
    setattr(time, name, lambda: 0)
time.sleep = lambda seconds: None
signal.setitimer = lambda *_: None
signal.alarm = lambda *_: None
for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("rankscope"):
        for name in ("_SLICE", "_SHARED_SLICE"):
            if hasattr(module, name):
                setattr(module, name, 1 << 30)


def my_broadcast(tensor, src):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
