import torch
import ray.util.collective as col
from ray.util.collective import send, recv


class Channel:
    def __init__(self, group_name):
        self.group_name = group_name

    def put(self, tensor, peer):
        send(tensor, dst_rank=peer, group_name=self.group_name)
        return tensor

    def get(self, tensor, peer):
        recv(tensor, src_rank=peer, group_name=self.group_name)
        return tensor


class Worker:
    def __init__(self, world_size, rank, group_name):
        self.world_size, self.rank, self.group_name = world_size, rank, group_name
        self.msg = self.buf = None
        self.log = []
        col.init_collective_group(world_size, rank, "gloo", group_name)
        self.channel = Channel(group_name)

    def _logged(self, kind, peer, value):
        self.log.append([kind, self.rank, peer])
        return value

    def do_send(self, target):
        return self._logged("send", target, self.channel.put(self.msg, target))

    def do_recv(self, source):
        return self._logged("recv", source, self.channel.get(self.buf, source))

    def do_send_recv(self, source, target):
        actions = {source: lambda: self.do_send(target), target: lambda: self.do_recv(source)}
        return actions.get(self.rank, lambda: None)()
