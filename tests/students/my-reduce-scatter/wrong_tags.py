# exercise: my-reduce-scatter
# verdict: wrong
# mistake: tag is the sender's rank on one side and the receiver's on the other
# expect: tags of send and recv do not match: nothing is ever received
# hangs: yes
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    parts = [c.contiguous() for c in torch.chunk(tensor, n, 0)]
    result = parts[rank].clone()
    boxes = {r: torch.empty_like(result) for r in range(n) if r != rank}
    reqs = []
    for r in boxes:
        reqs.append(dist.isend(parts[r], r, tag=rank))
        reqs.append(dist.irecv(boxes[r], r, tag=rank))
    for q in reqs:
        q.wait()
    for b in boxes.values():
        result += b
    return result
