import torch
import torch.distributed as dist

words = [["a", "bee"], ["giraffe"], ["cat", "horse"]]
dist.init_process_group("gloo")
mine = words[dist.get_rank()]
longest = torch.tensor([max(len(w) for w in mine)])
dist.all_reduce(longest, op=dist.ReduceOp.MAX)
for w in mine:
    print(w.rjust(longest.item(), "."))
