# exercise: send-recv
# verdict: wrong
# mistake: only do_send_recv keeps the log and returns the message; do_send and do_recv do not
# expect: do_send and do_recv by themselves return nothing and log nothing
# hangs: no
# worlds: 2,3,5
# sight: yes
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
        col.send(self.msg, target, group_name=self.group_name)
        return None

    def do_recv(self, source):
        col.recv(self.buf, source, group_name=self.group_name)
        return None

    def do_send_recv(self, source, target):
        if self.rank == source:
            self.do_send(target)
            self.log.append(["send", source, target])
            return self.msg
        if self.rank == target:
            self.do_recv(source)
            self.log.append(["recv", target, source])
            return self.buf
        return None
