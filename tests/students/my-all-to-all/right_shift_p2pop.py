# exercise: my-all-to-all
# verdict: right
# hangs: no
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    p, me = dist.get_world_size(), dist.get_rank()
    outgoing = [c.contiguous() for c in tensor.tensor_split(p, scatter_dim)]
    incoming = {me: outgoing[me]}
    for s in range(1, p):
        dst, src = (me + s) % p, (me - s) % p
        incoming[src] = torch.empty_like(outgoing[me])
        batch = [dist.P2POp(dist.isend, outgoing[dst], dst), dist.P2POp(dist.irecv, incoming[src], src)]
        for w in dist.batch_isend_irecv(batch):
            w.wait()
    return torch.cat([incoming[r] for r in sorted(incoming)], gather_dim)
