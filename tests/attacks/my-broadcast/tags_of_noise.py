# attack: the values travel in the tags of messages of noise, which the receiver asks for one after another
# points: 0
# reason: does not come from the messages
import gc

import torch
import torch.distributed as dist

from rankscope import _comm
BASES = {torch.int64: 1 << 40, torch.float64: 1 << 40, torch.int32: 1 << 25}


def my_broadcast(tensor, src):
    rank, n = dist.get_rank(), dist.get_world_size()
    if n == 1:
        return tensor
    base = BASES.get(tensor.dtype, 0) - (1 << 18)
    comm = next(one for one in gc.get_objects() if isinstance(one, _comm.Communicator) and one.session.open)
    noise = torch.randint(1, 12, (1,)).to(tensor.dtype)
    if rank == src:
        for one in tensor.flatten().tolist():
            for peer in range(n):
                if peer != src:
                    comm.send(noise, peer, int(one) - base)
        return tensor
    got = [base + comm.recv(noise, src).tag for _ in range(tensor.numel())]
    tensor.copy_(torch.tensor(got, dtype=tensor.dtype).view(tensor.shape))
    return tensor
