# attack: memory that is no process's: what lies in sockets that wait for somebody who takes them, and were closed long
#   ago, so that a few descriptors hold gigabytes
# points: 0
# reason: used more than [\d.]+ GiB of memory|took longer than
import os
import socket


def fill(rank):
    kept = []
    while True:
        waiting = socket.socket(socket.AF_UNIX)
        waiting.bind("\0%d-%d" % (os.getpid(), len(kept)))
        waiting.listen(1000)
        kept.append(waiting)
        for _ in range(1000):
            with socket.socket(socket.AF_UNIX) as one:
                one.setblocking(False)
                one.connect(waiting.getsockname())
                try:
                    while True:
                        one.send(bytes(1 << 16))
                except BlockingIOError:
                    pass


def my_broadcast(tensor, src):
    for _ in range(4):
        if os.fork() == 0:
            fill(0)
    fill(1)
