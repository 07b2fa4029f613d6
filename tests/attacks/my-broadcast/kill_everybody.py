# attack: kills every process that it can name, the grader among them
# points: 0
# reason: rank \d+ (was killed|ended)|ended by|killed
import os
import signal


def my_broadcast(tensor, src):
    for pid in [os.getppid(), *range(2, 70000)]:
        if pid in (os.getpid(), 1):
            continue
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    try:
        os.kill(-1, signal.SIGKILL)
    except OSError:
        pass
    os.kill(os.getpid(), signal.SIGKILL)
