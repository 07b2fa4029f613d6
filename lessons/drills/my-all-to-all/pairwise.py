import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    rank, size = dist.get_rank(), dist.get_world_size()
    width = tensor.size(scatter_dim) // size
    parts = [None] * size
    for peer in range(size):
        chunk = tensor.narrow(scatter_dim, peer * width, width).contiguous()
        parts[peer] = torch.empty_like(chunk)
        if peer == rank:
            parts[peer] = chunk.clone()
        elif rank < peer:
            dist.send(chunk, dst=peer)
            dist.recv(parts[peer], src=peer)
        else:
            dist.recv(parts[peer], src=peer)
            dist.send(chunk, dst=peer)
    return torch.cat(parts, dim=gather_dim)
