# exercise: my-broadcast
# verdict: wrong
# mistake: ends the process with os._exit(0)
# expect: the process ends inside the call
# hangs: no
# worlds: 1,2,3,4,5,8
import os

import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    os._exit(0)
