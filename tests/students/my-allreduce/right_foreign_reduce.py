import functools
import operator

import torch
import torch.distributed as dist

ROOT = 0


def inbox(like, peers):
    letters = {peer: torch.empty_like(like) for peer in peers}
    requests = {peer: dist.irecv(letter, src=peer) for peer, letter in letters.items()}
    while requests:
        peer, request = requests.popitem()
        request.wait()
        yield letters[peer]


def my_allreduce(tensor):
    rank, size = dist.get_rank(), dist.get_world_size()
    leaves = set(range(size)) - {ROOT}
    if rank == ROOT:
        tensor.copy_(functools.reduce(operator.add, inbox(tensor, leaves), tensor))
        pending = [dist.isend(tensor, dst=leaf) for leaf in sorted(leaves)]
        any(not request.wait() for request in pending)
    else:
        dist.send(tensor, ROOT)
        dist.recv(tensor, ROOT)
    return tensor
