import ray
import torch
from ray.util.collective import collective as col
from ray.util.collective import types


@ray.remote
class Worker:
    def __init__(self, world_size, rank, group_name, backend="gloo"):
        self.world_size = world_size
        self.rank = rank
        self.group_name = group_name
        self.backend = backend
        col.init_collective_group(world_size=self.world_size, rank=self.rank, backend=self.backend,
                                  group_name=self.group_name)
        self.comm_log = []

    def ray_all_reduce(self, op=types.ReduceOp.SUM):
        col.allreduce(self.msg, op=op, group_name=self.group_name)
        self.comm_log.append(["all_reduce", self.rank])
        return self.msg
