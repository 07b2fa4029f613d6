import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    rank, n = dist.get_rank(), dist.get_world_size()
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
