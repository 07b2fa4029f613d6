# attack: ends the process in order, in the hope that a rank that is gone breaks no rule
# points: 0
# reason: rank \d+ ended|ended its process
import os


def my_broadcast(tensor, src):
    os._exit(0)
