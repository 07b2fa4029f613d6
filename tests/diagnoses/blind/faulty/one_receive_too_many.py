import torch
import torch.distributed as dist

dist.init_process_group("gloo")
n_messages = 3
if dist.get_rank() == 0:
    for i in range(n_messages):
        dist.send(torch.tensor([i * i]), 1)
else:
    for i in range(n_messages + 1):
        t = torch.tensor([0])
        dist.recv(t, 0)
        print("message", i, "is", t.item())
