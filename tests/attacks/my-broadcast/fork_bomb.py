# attack: processes without end, from every rank
# points: 0
# reason: had more than \d+ processes|took longer than
import os


def my_broadcast(tensor, src):
    while True:
        try:
            os.fork()
        except OSError:
            pass
