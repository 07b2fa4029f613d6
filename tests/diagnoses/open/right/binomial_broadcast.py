import torch
import torch.distributed as dist

def broadcast(x, root):
    n = dist.get_world_size()
    me = (dist.get_rank() - root) % n
    mask = 1
    while mask < n:
        if me < mask and me + mask < n:
            dist.send(x, (me + mask + root) % n)
        elif mask <= me < 2 * mask:
            dist.recv(x, (me - mask + root) % n)
        mask *= 2

dist.init_process_group("gloo")
x = torch.tensor([dist.get_rank() * 1.5])
broadcast(x, root=2)
print(dist.get_rank(), x.item())
