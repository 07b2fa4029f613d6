import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    me, everyone = dist.get_rank(), range(dist.get_world_size())
    others = [peer for peer in everyone if peer != src]
    if me in others:
        letter = torch.empty(tensor.shape, dtype=tensor.dtype)
        dist.irecv(letter, src=src).wait()
        tensor[...] = letter
        return tensor
    letter = tensor.clone(memory_format=torch.contiguous_format)
    for request in [dist.isend(letter, dst=peer) for peer in others]:
        request.wait()
    return tensor
