import torch
from torch import distributed


class Bucket:
    def __init__(self, capacity, like):
        self.buffer = torch.zeros(capacity, dtype=like.dtype)
        self.members, self.used = [], 0

    def has_room(self, tensor):
        return self.used + tensor.numel() <= self.buffer.numel()

    def add(self, tensor):
        self.buffer[self.used:self.used + tensor.numel()].copy_(tensor.reshape(-1))
        self.members.append((tensor, self.used))
        self.used += tensor.numel()

    def reduce(self):
        distributed.all_reduce(self.buffer[:self.used])
        for tensor, at in self.members:
            tensor.reshape(-1).copy_(self.buffer[at:at + tensor.numel()])


def bucketed_allreduce(tensors, bucket_elements):
    buckets = []
    for tensor in tensors:
        if not buckets or not buckets[-1].has_room(tensor):
            buckets.append(Bucket(max(bucket_elements, tensor.numel()), tensor))
        buckets[-1].add(tensor)
    for bucket in buckets:
        bucket.reduce()
