import torch
import torch.distributed as dist


def ring_allreduce(tensor):
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = [c.clone() for c in torch.tensor_split(tensor.contiguous().view(-1), size)]
    for i in range(1, 2 * size - 1):
        out, into = (rank + i - 1) % size, (rank + i) % size
        box = torch.empty_like(chunks[into])
        work = dist.isend(chunks[out].clone(), (rank - 1) % size)
        dist.recv(box, (rank + 1) % size)
        work.wait()
        chunks[into] = chunks[into] + box if i < size else box
    tensor.copy_(torch.cat(chunks).view(tensor.shape))
