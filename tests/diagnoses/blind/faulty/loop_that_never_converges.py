import torch
import torch.distributed as dist

def newton(a):
    x = a
    steps = 0
    while abs(x * x - a) > 1e-3:
        steps += 1
    return x

dist.init_process_group("gloo")
r = dist.get_rank()
root = torch.tensor([newton(4.0 if r else 0.0)])
dist.all_reduce(root)
print(f"{root.item():.2f}")
