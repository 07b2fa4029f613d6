# exercise: my-all-to-all
# verdict: wrong
# mistake: the own chunk is left out
# expect: the local chunk is missing: N-1 chunks joined
# hangs: no
# worlds: 1,2,3,4,5,8
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    n, rank = dist.get_world_size(), dist.get_rank()
    chunks = [c.contiguous() for c in torch.chunk(tensor, n, scatter_dim)]
    got, reqs = [], []
    for r in range(n):
        if r != rank:
            box = torch.empty_like(chunks[r])
            reqs.append(dist.isend(chunks[r], r))
            reqs.append(dist.irecv(box, r))
            got.append(box)
    for q in reqs:
        q.wait()
    return torch.cat(got, gather_dim)
