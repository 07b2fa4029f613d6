import torch
import torch.distributed as dist

dist.init_process_group("gloo")
for dtype in (torch.int8, torch.int64, torch.float64, torch.float32):
    t = torch.tensor([1, 0, 1]).to(dtype)
    if dist.get_rank() == 0:
        dist.send(t, 1)
    else:
        got = torch.empty(3, dtype=dtype)
        dist.recv(got, 0)
        print(dtype, bool((got == t).all()))
