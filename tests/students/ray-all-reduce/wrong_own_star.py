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
        if self.rank == 0:
            box = torch.zeros_like(self.msg)
            for other in range(1, self.world_size):
                col.recv(box, other, self.group_name)
                self.msg += box
            for other in range(1, self.world_size):
                col.send(self.msg, other, self.group_name)
        else:
            col.send(self.msg, 0, self.group_name)
            col.recv(self.msg, 0, self.group_name)
        return self.msg
