# exercise: my-all-to-all
# verdict: wrong
# mistake: chunks are sent without contiguous()
# expect: slices along inner dimensions are not contiguous and are refused
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    n, rank = dist.get_world_size(), dist.get_rank()
    chunks = torch.chunk(tensor, n, scatter_dim)
    got = [torch.empty(c.shape, dtype=c.dtype) for c in chunks]
    got[rank] = chunks[rank]
    reqs = []
    for r in range(n):
        if r != rank:
            reqs.append(dist.isend(chunks[r], r))
            reqs.append(dist.irecv(got[r], r))
    for q in reqs:
        q.wait()
    return torch.cat(got, gather_dim)
