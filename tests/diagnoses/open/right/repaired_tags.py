import torch
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    for tag in (3, 1, 2):
        dist.send(torch.tensor([tag * 10]), 1, tag=tag)
else:
    t = torch.tensor([0])
    for tag in (3, 1, 2):
        dist.recv(t, 0, tag=tag)
        print(tag, t.item())
