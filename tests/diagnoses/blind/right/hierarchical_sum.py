import torch
import torch.distributed as dist

class Hierarchy:
    def __init__(self, group_size: int):
        dist.init_process_group("gloo")
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        firsts = list(range(0, self.world, group_size))
        self.teams = [dist.new_group(list(range(f, f + group_size))) for f in firsts]
        self.leaders = dist.new_group(firsts)
        self.team = self.teams[self.rank // group_size]
        self.leader = self.rank // group_size * group_size

    def allreduce(self, x: torch.Tensor) -> torch.Tensor:
        dist.reduce(x, dst=self.leader, group=self.team)
        if self.rank == self.leader:
            dist.all_reduce(x, group=self.leaders)
        dist.broadcast(x, src=self.leader, group=self.team)
        return x

h = Hierarchy(2)
print(h.rank, h.allreduce(torch.tensor([2.0 ** h.rank])).item())
