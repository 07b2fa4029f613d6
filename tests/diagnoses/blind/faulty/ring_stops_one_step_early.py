import torch
import torch.distributed as dist

def allreduce(data):
    me, p = dist.get_rank(), dist.get_world_size()
    result = data.clone()
    travelling = data.clone()
    for step in range(1, p - 1):
        box = torch.empty_like(data)
        if me % 2 == 0:
            dist.send(travelling, (me + 1) % p); dist.recv(box, (me - 1) % p)
        else:
            dist.recv(box, (me - 1) % p); dist.send(travelling, (me + 1) % p)
        result += box
        travelling = box
    return result

dist.init_process_group("gloo")
print(dist.get_rank(), allreduce(torch.tensor([10.0 ** dist.get_rank()])).item())
