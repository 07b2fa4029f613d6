import torch
import torch.distributed as dist

dist.init_process_group("gloo")
me, p = dist.get_rank(), dist.get_world_size()
token = torch.tensor([me])
got = torch.tensor([0])
for _ in range(p):
    if me % 2 == 0:
        dist.send(token, (me + 1) % p)
        dist.recv(got, (me - 1) % p)
    else:
        dist.recv(got, (me - 1) % p)
        dist.send(token, (me + 1) % p)
    token = got.clone()
print(me, "is back at", token.item())
