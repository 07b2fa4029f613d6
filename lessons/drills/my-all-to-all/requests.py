import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = [chunk.contiguous() for chunk in tensor.chunk(size, dim=scatter_dim)]
    parts = [torch.empty_like(chunk) for chunk in chunks]
    parts[rank] = chunks[rank]
    requests = []
    for peer in range(size):
        if peer != rank:
            requests.append(dist.isend(chunks[peer], dst=peer))
            requests.append(dist.irecv(parts[peer], src=peer))
    for request in requests:
        request.wait()
    return torch.cat(parts, dim=gather_dim)
