# exercise: bde-all-reduce
# verdict: wrong
# mistake: begins with the farthest partner: rank XOR 2^k for k from above
# expect: the partner of each round is another one than rank XOR 2^k
# hangs: no
# worlds: 4,8
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
        self.log.append(["send", self.rank, target])
        return self.msg

    def do_recv(self, source):
        col.recv(self.buf, source, group_name=self.group_name)
        self.log.append(["recv", self.rank, source])
        return self.buf

    def do_send_recv(self, source, target):
        if self.rank == source:
            return self.do_send(target)
        if self.rank == target:
            return self.do_recv(source)
        return None

    def _exchange(self, peer):
        if self.rank < peer:
            self.do_send(peer)
            self.do_recv(peer)
        else:
            self.do_recv(peer)
            self.do_send(peer)
        self.msg += self.buf

    def bde_all_reduce(self):
        """Afterwards self.msg holds the sum over all ranks, on every rank. Returns it."""
        n, me = self.world_size, self.rank
        power = 1 << (n.bit_length() - 1)
        extra = n - power
        if me >= power:
            self.do_send(me - power)
        elif me < extra:
            self.msg += self.do_recv(me + power)
        if me < power:
            step = power // 2
            while step:
                self._exchange(me ^ step)
                step //= 2
        if me >= power:
            self.msg.copy_(self.do_recv(me - power))
        elif me < extra:
            self.do_send(me + power)
        return self.msg
