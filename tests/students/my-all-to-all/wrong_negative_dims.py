# exercise: my-all-to-all
# verdict: wrong
# mistake: slices built by hand for dimensions counted from 0 only
# expect: dimensions counted from the end (-1) are mishandled
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    n, rank = dist.get_world_size(), dist.get_rank()
    k = tensor.shape[scatter_dim] // n

    def part(r):
        index = [slice(r * k, (r + 1) * k) if d == scatter_dim else slice(None) for d in range(tensor.dim())]
        return tensor[tuple(index)].contiguous()

    shape = [n * s if d == gather_dim else s for d, s in enumerate(part(rank).shape)]
    out = torch.zeros(shape, dtype=tensor.dtype)
    g = part(rank).shape[gather_dim]

    def place(r, value):
        index = [slice(r * g, (r + 1) * g) if d == gather_dim else slice(None) for d in range(tensor.dim())]
        out[tuple(index)] = value

    place(rank, part(rank))
    box = torch.empty_like(part(rank))
    for r in range(n):
        if rank < r:
            dist.send(part(r), r)
            dist.recv(box, r)
            place(r, box)
        elif rank > r:
            dist.recv(box, r)
            dist.send(part(r), r)
            place(r, box)
    return out
