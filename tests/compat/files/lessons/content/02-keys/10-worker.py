import torch
import ray.util.collective as col


class Worker:
    """One rank of a group. Its message, a buffer for what it receives, and a log."""

    def __init__(self, world_size, rank, group_name):
        self.world_size, self.rank, self.group_name = world_size, rank, group_name
        self.msg = self.buf = None
        self.log = []
        col.init_collective_group(world_size, rank, "gloo", group_name)

    def do_send(self, target):
        raise NotImplementedError  # yours, from the lesson on point-to-point

    def do_recv(self, source):
        raise NotImplementedError  # yours, from the lesson on point-to-point

    def do_send_recv(self, source, target):
        raise NotImplementedError  # yours, from the lesson on point-to-point

    def bde_all_reduce(self):
        """Afterwards self.msg holds the sum over all ranks, on every rank. Returns it."""
        raise NotImplementedError
