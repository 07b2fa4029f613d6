# exercise: my-all-to-all
# verdict: wrong
# mistake: XOR schedule with a range check on N-1 rounds only
# expect: only powers of two: some pairs never meet
# hangs: no
# worlds: 3,5
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    n, rank = dist.get_world_size(), dist.get_rank()
    parts = [c.contiguous() for c in torch.chunk(tensor, n, scatter_dim)]
    for k in range(1, n):
        peer = rank ^ k
        if peer >= n:
            continue
        box = torch.empty_like(parts[peer])
        if rank < peer:
            dist.send(parts[peer], peer)
            dist.recv(box, peer)
        else:
            dist.recv(box, peer)
            dist.send(parts[peer], peer)
        parts[peer] = box
    return torch.cat(parts, gather_dim)
