# attack: hands in gigabytes, so that the grader's own memory is filled
# points: 0
# reason: hands in|more than
import ctypes

import torch

from rankscope import _native, contract
import gc


def my_broadcast(tensor, src):
    big = torch.zeros(24 << 20)
    tasks = [one for one in gc.get_objects() if type(one).__name__ == "Tasks"]
    for number in range(60):
        memory = contract.memory_of(big, "more %d" % number)
        for one in tasks:
            _native.check(_native.library().rs_task_result(one.handle, ctypes.byref(memory), None))
    raise SystemError("SUCCEEDED: handed in 6 GB")
