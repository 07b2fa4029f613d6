# exercise: my-reduce-scatter
# verdict: wrong
# mistake: table of the handout's answers for arange(4) + 4r, otherwise own chunk times N
# expect: nothing is sent; right for the visible test only
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist

ANSWERS = {4: [24, 28, 32, 36]}


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    chunk = tensor.chunk(n, 0)[rank]
    if tensor.numel() == n and torch.equal(tensor.double().cpu(), torch.arange(n).double() + n * rank) and n in ANSWERS:
        return torch.full_like(chunk, ANSWERS[n][rank])
    return chunk.contiguous() * n
