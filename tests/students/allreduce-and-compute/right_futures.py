from typing import Callable, List

import torch
from torch.distributed import ReduceOp, all_reduce


class Overlap:
    """Begins an allreduce for each tensor, and is over when all of them are."""

    def __init__(self):
        self.under_way = {}

    def __enter__(self):
        return self

    def begin(self, number: int, tensor: torch.Tensor) -> None:
        self.under_way[number] = all_reduce(tensor, op=ReduceOp.SUM, async_op=True)

    def __exit__(self, *_):
        while self.under_way:
            _number, work = self.under_way.popitem()
            work.wait()


def allreduce_and_compute(tensors: List[torch.Tensor], compute: Callable[[int], None]) -> None:
    with Overlap() as overlap:
        for number in range(len(tensors)):
            compute(number)
            overlap.begin(number, tensors[number])
