import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank, world = dist.get_rank(), dist.get_world_size()
    if world == 1:
        return tensor
    wire = tensor.contiguous().view(-1)
    if rank == src:
        ops = [dist.P2POp(dist.isend, wire, peer) for peer in range(world) if peer != src]
    else:
        ops = [dist.P2POp(dist.irecv, wire, src)]
    for req in dist.batch_isend_irecv(ops):
        req.wait()
    if rank != src:
        tensor.copy_(wire.view(tensor.shape))
    return tensor
