# attack: stands still by SIGSTOP, so that whoever waits for its end waits for ever
# points: 0
# reason: the run takes too long|did not stop|stopped
import os
import signal


def my_broadcast(tensor, src):
    os.kill(os.getpid(), signal.SIGSTOP)
    return tensor
