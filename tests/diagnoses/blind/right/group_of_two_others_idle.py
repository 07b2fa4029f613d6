import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
pair = dist.new_group(ranks=[1, 2])
t = torch.tensor([rank * 1.0])
if rank in (1, 2):
    dist.all_reduce(t, group=pair)
    print("pair", rank, t.item())
else:
    print("outside", rank)
