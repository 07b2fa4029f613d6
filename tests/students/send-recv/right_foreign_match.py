from __future__ import annotations

import contextlib
from typing import NamedTuple, Optional

import torch
from ray.util import collective


class Entry(NamedTuple):
    verb: str
    rank: int
    other: int


class Worker:
    def __init__(self, world_size: int, rank: int, group_name: str) -> None:
        self.world_size = world_size
        self.rank = rank
        self.group_name = group_name
        self.msg: Optional[torch.Tensor] = None
        self.buf: Optional[torch.Tensor] = None
        self.log: list = []
        collective.init_collective_group(world_size=world_size, rank=rank, backend="gloo", group_name=group_name)

    @contextlib.contextmanager
    def noted(self, verb, other):
        yield
        self.log += [list(Entry(verb, self.rank, other))]

    def do_send(self, target):
        with self.noted("send", target):
            collective.send(self.msg, target, self.group_name)
        return self.msg

    def do_recv(self, source):
        with self.noted("recv", source):
            collective.recv(self.buf, source, self.group_name)
        return self.buf

    def do_send_recv(self, source, target):
        match (self.rank == source, self.rank == target):
            case (True, _):
                result = self.do_send(target)
            case (_, True):
                result = self.do_recv(source)
            case _:
                result = None
        return result
