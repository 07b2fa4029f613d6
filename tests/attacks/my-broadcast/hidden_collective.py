# attack: the built-in collective, called in the native library itself, and split as a wire
# points: 0
# reason: built-in|collective|allreduce|broadcast
import ctypes
import gc

import torch.distributed as dist

from rankscope import _comm, _native, contract


def my_broadcast(tensor, src):
    comm = next(one for one in gc.get_objects()
                if isinstance(one, _comm.Communicator) and one.session.open)
    data = tensor.contiguous()
    memory = contract.memory_of(data)
    call = _native.Call(b"broadcast", None, memory if dist.get_rank() == src else _native.Memory(), memory, 0, src)
    where = _native.Stack()
    _native.check(_native.library().rs_collective(comm.handle, ctypes.byref(call), ctypes.byref(where), None))
    tensor.copy_(data)
    return tensor
