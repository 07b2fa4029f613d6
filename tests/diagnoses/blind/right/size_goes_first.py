import torch
import torch.distributed as dist

def send_any(t, dst):
    dist.send(torch.tensor([t.numel()]), dst)
    dist.send(t, dst)

def recv_any(src):
    n = torch.zeros(1, dtype=torch.long)
    dist.recv(n, src)
    t = torch.empty(int(n))
    dist.recv(t, src)
    return t

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    for n in (1, 7, 3):
        send_any(torch.ones(n), 1)
else:
    print([recv_any(0).numel() for _ in range(3)])
