# exercise: my-all-to-all
# verdict: wrong
# mistake: splits along gather_dim and joins along scatter_dim
# expect: the two dimensions are exchanged
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    n, rank = dist.get_world_size(), dist.get_rank()
    chunks = [c.contiguous() for c in torch.tensor_split(tensor, n, gather_dim)]
    got = [torch.empty_like(chunks[rank]) for _ in chunks]
    got[rank] = chunks[rank]
    reqs = []
    for r in range(n):
        if r != rank:
            reqs.append(dist.isend(chunks[r], r))
            reqs.append(dist.irecv(got[r], r))
    for q in reqs:
        q.wait()
    return torch.cat(got, dim=scatter_dim)
