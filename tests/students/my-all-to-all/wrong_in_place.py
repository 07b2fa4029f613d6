# exercise: my-all-to-all
# verdict: wrong
# mistake: writes what arrives into the argument's chunks
# expect: the argument is overwritten
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    n, rank = dist.get_world_size(), dist.get_rank()
    chunks = torch.chunk(tensor, n, scatter_dim)
    for r in range(n):
        if r == rank:
            continue
        out = chunks[r].contiguous()
        box = torch.empty(out.shape, dtype=out.dtype)
        if rank < r:
            dist.send(out, r)
            dist.recv(box, r)
        else:
            dist.recv(box, r)
            dist.send(out, r)
        chunks[r].copy_(box)
    return torch.cat(chunks, gather_dim)
