"""A mistake: only the leaders call new_group for the group of leaders. Four ranks."""
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
halves = [dist.new_group(list(range(h * size // 2, (h + 1) * size // 2))) for h in (0, 1)]
mine, x = halves[rank // (size // 2)], torch.ones(4)
if rank % (size // 2) == 0:
    leaders = dist.new_group([0, size // 2])
    dist.all_reduce(x, group=leaders)
dist.broadcast(x, src=rank // (size // 2) * (size // 2), group=mine)
dist.destroy_process_group()
