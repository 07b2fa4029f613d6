# exercise: send-recv
# verdict: wrong
# mistake: logs into comm_log, the name of the old handout, not log
# expect: self.log stays empty
# hangs: no
# worlds: 2,3,4,5,8
import torch
import ray.util.collective as col


class Worker:
    def __init__(self, world_size, rank, group_name):
        self.world_size, self.rank, self.group_name = world_size, rank, group_name
        self.msg = self.buf = None
        self.log = []
        self.comm_log = []
        col.init_collective_group(world_size, rank, "gloo", group_name)

    def do_send(self, target_rank):
        col.send(self.msg, target_rank, group_name=self.group_name)
        self.comm_log.append(["send", self.rank, target_rank])
        return self.msg

    def do_recv(self, src_rank):
        col.recv(self.buf, src_rank, group_name=self.group_name)
        self.comm_log.append(["recv", self.rank, src_rank])
        return self.buf

    def do_send_recv(self, src_rank, target_rank):
        if self.rank == src_rank:
            return self.do_send(target_rank)
        elif self.rank == target_rank:
            return self.do_recv(src_rank)
        else:
            return None
