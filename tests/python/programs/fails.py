"""Ranks that end badly, in the ways in which programs do."""
import sys
import threading

import rankscope

kind = sys.argv[1]
comm = rankscope.join()


def compute():
    raise ValueError("the wrong shape")


if comm.rank == 1:
    if kind == "raise":
        compute()
    if kind == "thread":
        thread = threading.Thread(target=compute)
        thread.start()
        thread.join()
    if kind == "interrupt":
        raise KeyboardInterrupt
elif kind == "deadlock":
    comm.recv(bytearray(1), 1)
if kind == "deadlock":
    comm.recv(bytearray(1), 0)
if kind == "raise":
    comm.recv(bytearray(1), 1)
