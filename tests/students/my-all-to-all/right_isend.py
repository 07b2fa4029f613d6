# exercise: my-all-to-all
# verdict: right
# hangs: no
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    """Sends chunk i along scatter_dim to rank i, and returns what arrives, joined along gather_dim."""
    rank = dist.get_rank()
    world_size = dist.get_world_size()
    chunks = [c.contiguous() for c in torch.chunk(tensor, world_size, dim=scatter_dim)]
    received = [torch.empty_like(chunks[rank]) for _ in range(world_size)]
    received[rank].copy_(chunks[rank])
    requests = []
    for r in range(world_size):
        if r != rank:
            requests.append(dist.isend(chunks[r], dst=r))
            requests.append(dist.irecv(received[r], src=r))
    for request in requests:
        request.wait()
    return torch.cat(received, dim=gather_dim)
