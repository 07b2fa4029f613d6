"""The world is an interval that is halved: the first rank of each half speaks for it."""
import ray.util.collective as rc


class Worker:
    def __init__(self, world_size, rank, group_name):
        self.__dict__.update(world_size=world_size, rank=rank, group_name=group_name, msg=None, buf=None, log=[])
        rc.init_collective_group(world_size, rank, backend="gloo", group_name=group_name)

    def do_send(self, target):
        rc.send(self.msg, target, group_name=self.group_name)
        self.log.append(["send", self.rank, target])
        return self.msg

    def do_recv(self, source):
        rc.recv(self.buf, source, group_name=self.group_name)
        self.log.append(["recv", self.rank, source])
        return self.buf

    def halves(self):
        """(first of the lower half, first of the upper half) of the intervals that this rank is in, largest first."""
        low, high = 0, self.world_size
        while high - low > 1:
            middle = low + (high - low + 1) // 2
            yield low, middle
            low, high = (low, middle) if self.rank < middle else (middle, high)

    def mst_all_reduce(self):
        meetings = [pair for pair in self.halves() if self.rank in pair]
        for leader, deputy in meetings[::-1]:
            if self.rank == deputy:
                self.do_send(leader)
            else:
                self.msg.add_(self.do_recv(deputy))
        for leader, deputy in meetings:
            if self.rank == leader:
                self.do_send(deputy)
            else:
                self.msg[...] = self.do_recv(leader)
        return self.msg
