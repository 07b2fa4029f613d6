import torch
import ray.util.collective as col
from ray.util.collective import types


class Worker:
    def __init__(self, world_size, rank, group_name):
        self.world_size, self.rank, self.group_name = world_size, rank, group_name
        self.msg = self.buf = None
        self.comm_log = []
        col.init_collective_group(world_size, rank, "gloo", group_name)

    def ray_all_reduce(self):
        all_of_them = [torch.zeros_like(self.msg) for _ in range(self.world_size)]
        col.allgather(all_of_them, self.msg, self.group_name)
        self.msg.copy_(sum(all_of_them))
        return self.msg
