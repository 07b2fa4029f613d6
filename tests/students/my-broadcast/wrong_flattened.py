# exercise: my-broadcast
# verdict: wrong
# mistake: returns the flat buffer in place of the tensor
# expect: shape lost: one dimension is returned on ranks that receive
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank = dist.get_rank()
    flat = tensor.contiguous().view(-1)
    if rank == src:
        for r in range(dist.get_world_size()):
            if r != src:
                dist.send(flat, r)
        return tensor
    dist.recv(flat, src)
    tensor.copy_(flat.view(tensor.shape))
    return flat
