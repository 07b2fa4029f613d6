import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
sent_bytes = 0
for k in range(4):
    t = torch.ones(2 ** k)
    if rank == 0:
        dist.send(t, 1)
    else:
        dist.recv(t, 0)
    sent_bytes += t.numel()
if rank == 0:
    print(f"rank 0 sent {sent_bytes} bytes in 4 messages")
