# exercise: my-all-to-all
# verdict: wrong
# mistake: waits for receives only and frees the chunks of the sends
# expect: sends are never waited for; the requests of isend are dropped, the messages may never leave
# hangs: yes
# worlds: 2,3,4,5,8
# note: under gloo of torch 1.13 a dropped isend request cancels the message: the receivers wait for ever; other versions may deliver it
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    n, rank = dist.get_world_size(), dist.get_rank()
    chunks = [c.contiguous() for c in torch.chunk(tensor, n, scatter_dim)]
    got = [torch.empty_like(c) for c in chunks]
    got[rank] = chunks[rank]
    for r in range(n):
        if r != rank:
            dist.isend(chunks[r], r)
    for r in range(n):
        if r != rank:
            dist.irecv(got[r], r).wait()
    return torch.cat(got, gather_dim)
