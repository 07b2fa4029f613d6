# exercise: my-reduce-scatter
# verdict: wrong
# mistake: adds up in float32 or int64, whatever the tensor's type
# expect: other number types than the listed ones come out as another type
# hangs: no
# worlds: 2,3,4,5,8
# sight: yes
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    rank, size = dist.get_rank(), dist.get_world_size()
    kind = torch.float32 if tensor.is_floating_point() else torch.int64
    chunks = [c.to(kind).contiguous() for c in tensor.chunk(size)]
    total = chunks[rank].clone()
    for s in range(1, size):
        box = torch.empty_like(total)
        work = dist.isend(chunks[(rank + s) % size], (rank + s) % size)
        dist.recv(box, (rank - s) % size)
        work.wait()
        total += box
    return total
