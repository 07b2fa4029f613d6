"""The number travels as eight bytes."""
import torch
import torch.distributed as dist

WIDTH = 8


def as_message(number):
    return torch.tensor(list(number.to_bytes(WIDTH, "little")), dtype=torch.uint8)


def from_message(message):
    return int.from_bytes(bytes(message.tolist()), "little")


def pass_it_on(rank, world_size, value):
    last = world_size - 1

    def take():
        box = torch.zeros(WIDTH, dtype=torch.uint8)
        assert dist.recv(box, src=rank - 1) == rank - 1
        return from_message(box)

    held = take() + rank if rank else value
    rank == last or dist.send(as_message(held), dst=rank + 1)
    return held
