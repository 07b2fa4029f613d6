import torch
import torch.distributed as dist

def share_config(cfg, rank):
    t = torch.tensor(cfg)
    dist.broadcast(t, src=rank)
    return t

dist.init_process_group("gloo")
rank = dist.get_rank()
config = [0.1, 32.0] if rank == 0 else [0.0, 0.0]
lr, batch = share_config(config, rank).tolist()
print(rank, round(lr, 3), batch)
