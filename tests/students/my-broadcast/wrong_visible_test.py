# exercise: my-broadcast
# verdict: wrong
# mistake: returns 10 * (src + 1), the answer of the handout's question
# expect: value computed from src, nothing is sent
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    if dist.get_rank() != src:
        tensor.fill_(10 * (src + 1))
    return tensor
