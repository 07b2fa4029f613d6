# attack: sleeps, and swallows whatever wants to wake it
# points: 0
# reason: the run takes too long|did not stop
import signal
import time


def my_broadcast(tensor, src):
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        try:
            time.sleep(3600)
        except BaseException:
            pass
