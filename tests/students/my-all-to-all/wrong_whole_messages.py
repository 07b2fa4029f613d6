# exercise: my-all-to-all
# verdict: wrong
# mistake: sends the whole tensor to everybody, who cuts out the chunk
# expect: N times as many bytes as needed
# hangs: no
# worlds: 2,3,4,5,8
# sight: yes
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    rank, size = dist.get_rank(), dist.get_world_size()
    whole = tensor.contiguous()
    got = [None] * size
    got[rank] = tensor.chunk(size, scatter_dim)[rank]
    for s in range(1, size):
        box = torch.empty_like(whole)
        work = dist.isend(whole, (rank + s) % size)
        dist.recv(box, (rank - s) % size)
        work.wait()
        got[(rank - s) % size] = box.chunk(size, scatter_dim)[rank]
    return torch.cat(got, gather_dim)
