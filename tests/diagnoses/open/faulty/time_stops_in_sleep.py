import os, time
import torch
import torch.distributed as dist

def wait_for_file(path):
    while not os.path.exists(path):
        time.sleep(0.1)

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    wait_for_file("/tmp/rankscope-no-such-file")
x = torch.ones(1)
dist.all_reduce(x)
print("ready", x.item())
