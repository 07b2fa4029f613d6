# exercise: my-all-to-all
# verdict: wrong
# mistake: sends chunk `rank` to everybody
# expect: the chunk sent is the sender's number, not the receiver's
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    n, rank = dist.get_world_size(), dist.get_rank()
    chunks = [c.contiguous() for c in torch.chunk(tensor, n, scatter_dim)]
    got = [torch.empty_like(c) for c in chunks]
    got[rank] = chunks[rank]
    for r in range(n):
        if rank < r:
            dist.send(chunks[rank], r)
            dist.recv(got[r], r)
        elif rank > r:
            dist.recv(got[r], r)
            dist.send(chunks[rank], r)
    return torch.cat(got, gather_dim)
