import numpy as np
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    table = np.linspace(0, 1, 5)
    dist.send(torch.from_numpy(table), dst=1)
else:
    table = torch.empty(5)
    dist.recv(table, src=0)
    print(table.tolist())
