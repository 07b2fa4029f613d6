import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()

if rank == 0:
    msg = torch.tensor([1.0, 2.0, 3.0])
    print("rank 0 sends", msg.tolist())
    dist.send(msg, dst=1, tag=7)
else:
    buf = torch.zeros(3)
    dist.recv(buf, src=0, tag=17)
    print("rank 1 got", buf.tolist())

dist.destroy_process_group()
