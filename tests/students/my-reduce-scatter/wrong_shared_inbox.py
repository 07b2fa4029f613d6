# exercise: my-reduce-scatter
# verdict: wrong
# mistake: all irecvs write into one buffer
# expect: messages overwrite each other in one receive buffer
# hangs: no
# worlds: 3,4,5,8
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    parts = [c.contiguous() for c in torch.chunk(tensor, n, 0)]
    result = parts[rank].clone()
    tmp = torch.zeros_like(result)
    sends = [dist.isend(parts[r], r) for r in range(n) if r != rank]
    recvs = [dist.irecv(tmp, r) for r in range(n) if r != rank]
    for q in sends + recvs:
        q.wait()
    for _ in recvs:
        result += tmp
    return result
