# exercise: my-all-to-all
# verdict: wrong
# mistake: the own chunk's place stays empty
# expect: the local chunk is not copied: zeros in its place
# hangs: no
# worlds: 1,2,3,4,5,8
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    n, rank = dist.get_world_size(), dist.get_rank()
    chunks = [c.contiguous() for c in torch.chunk(tensor, n, scatter_dim)]
    got = [torch.zeros_like(c) for c in chunks]
    reqs = []
    for r in range(n):
        if r != rank:
            reqs.append(dist.isend(chunks[r], r))
            reqs.append(dist.irecv(got[r], r))
    for q in reqs:
        q.wait()
    return torch.cat(got, gather_dim)
