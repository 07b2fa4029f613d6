import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
size = dist.get_world_size()

left = (rank + size - 1) % size
right = (rank + 2) % size

send_buf = torch.tensor([rank])
recv_buf = torch.tensor([-1])
if rank % 2 == 0:
    dist.send(send_buf, right)
    dist.recv(recv_buf, left)
else:
    dist.recv(recv_buf, left)
    dist.send(send_buf, right)
print(f"{rank} has the value of {recv_buf.item()}")
