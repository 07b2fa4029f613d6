# attack: stands still by SIGSTOP, so that waiting for its end never ends
# points: 0
# reason: the run takes too long|did not stop|stopped
import os
import signal


def my_broadcast(tensor, src):
    os.kill(os.getpid(), signal.SIGSTOP)
    return tensor
