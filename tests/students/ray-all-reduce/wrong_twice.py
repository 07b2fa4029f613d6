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
        col.allreduce(self.msg.clone(), group_name=self.group_name)  # warm up
        col.allreduce(self.msg, group_name=self.group_name)
        return self.msg
