# exercise: my-broadcast
# verdict: wrong
# mistake: partner by XOR without a range check
# expect: only powers of two: asks for ranks that do not exist
# hangs: yes
# worlds: 3,5
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    n, rank = dist.get_world_size(), dist.get_rank()
    rel = (rank - src) % n
    data = tensor.contiguous()
    step = 1
    while step < n:
        peer = rel ^ step
        if rel < step:
            dist.send(data, peer + src if peer + src < n else peer + src - n)
        elif rel < 2 * step:
            dist.recv(data, (peer + src) % n)
        step <<= 1
    tensor.copy_(data)
    return tensor
