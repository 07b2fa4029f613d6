import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, n = dist.get_rank(), dist.get_world_size()
x = torch.tensor([float(rank * 4)])
rounds = 0
while True:
    spread_hi, spread_lo = x.clone(), x.clone()
    dist.all_reduce(spread_hi, op=dist.ReduceOp.MAX)
    dist.all_reduce(spread_lo, op=dist.ReduceOp.MIN)
    if (spread_hi - spread_lo).item() < 0.5:
        break
    rounds += 1
    peer = rank ^ (1 if rounds % 2 else 3)
    y = torch.empty(1)
    if rank < peer:
        dist.send(x, peer); dist.recv(y, peer)
    else:
        dist.recv(y, peer); dist.send(x, peer)
    x = (x + y) / 2
print(rank, x.item(), rounds)
