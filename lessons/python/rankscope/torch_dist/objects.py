"""Collectives of Python objects: pickled, and moved as tensors of bytes."""
import pickle

import torch

from .. import _native
from . import collectives, groups

NAMES = ("broadcast_object_list", "all_gather_object", "gather_object", "scatter_object_list")


def _pack(thing):
    return torch.frombuffer(bytearray(pickle.dumps(thing)), dtype=torch.uint8)


def _unpack(tensor, size):
    return pickle.loads(bytes(tensor[:size].numpy()))


def _padded(tensor, size):
    padded = torch.zeros(size, dtype=torch.uint8)
    padded[:tensor.numel()] = tensor
    return padded


def _sizes(data, group):
    """The sizes of all ranks' messages."""
    sizes = torch.zeros(group.comm.size, dtype=torch.int64)
    collectives.all_gather_into_tensor(sizes, torch.tensor([data.numel()]), group)
    return sizes.tolist()


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """The root's objects replace those of all other ranks' lists."""
    group = groups.resolve(group, "broadcast_object_list")
    if group is None:
        return
    if not isinstance(object_list, list) or not object_list:
        raise _native.UsageError("broadcast_object_list: give a list of the same length, not empty, on every rank.")
    root = collectives._root(group, src, group_src, "broadcast_object_list", "src", 0)
    mine = group.comm.rank == root
    parts = [_pack(thing) for thing in object_list] if mine else []
    sizes = torch.tensor([part.numel() for part in parts]) if mine else \
        torch.zeros(len(object_list), dtype=torch.int64)
    collectives.broadcast(sizes, group=group, group_src=root)
    data = torch.cat(parts) if mine else torch.empty(int(sizes.sum()), dtype=torch.uint8)
    collectives.broadcast(data, group=group, group_src=root)
    if not mine:
        object_list[:] = [_unpack(part, part.numel()) for part in data.split(sizes.tolist())]


def all_gather_object(object_list, obj, group=None):
    """object_list[r] becomes rank r's object, on every rank."""
    group = groups.resolve(group, "all_gather_object")
    if group is None:
        return
    _check_length("all_gather_object", object_list, group)
    data = _pack(obj)
    sizes = _sizes(data, group)
    largest = max(sizes)
    row = torch.empty(largest * group.comm.size, dtype=torch.uint8)
    collectives.all_gather_into_tensor(row, _padded(data, largest), group)
    object_list[:] = map(_unpack, row.split(largest), sizes)


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    """On the root, object_gather_list[r] becomes rank r's object."""
    group = groups.resolve(group, "gather_object")
    if group is None:
        return
    root = collectives._root(group, dst, group_dst, "gather_object", "dst", 0)
    mine = group.comm.rank == root
    if mine:
        _check_length("gather_object", object_gather_list, group)
    data = _pack(obj)
    sizes = _sizes(data, group)
    largest = max(sizes)
    parts = list(torch.empty(largest * group.comm.size, dtype=torch.uint8).split(largest)) if mine else None
    collectives.gather(_padded(data, largest), parts, group=group, group_dst=root)
    if mine:
        object_gather_list[:] = map(_unpack, parts, sizes)


def scatter_object_list(scatter_object_output_list, scatter_object_input_list=None, src=None, group=None,
                        group_src=None):
    """Rank r gets the root's scatter_object_input_list[r], as the first element of its output list."""
    group = groups.resolve(group, "scatter_object_list")
    if group is None:
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise _native.UsageError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    root = collectives._root(group, src, group_src, "scatter_object_list", "src", 0)
    parts = None
    sizes = torch.zeros(group.comm.size, dtype=torch.int64)
    if group.comm.rank == root:
        _check_length("scatter_object_list", scatter_object_input_list, group)
        parts = [_pack(thing) for thing in scatter_object_input_list]
        sizes = torch.tensor([part.numel() for part in parts])
    collectives.broadcast(sizes, group=group, group_src=root)
    largest = int(sizes.max())
    data = torch.empty(largest, dtype=torch.uint8)
    collectives.scatter(data, parts and [_padded(part, largest) for part in parts], group=group, group_src=root)
    scatter_object_output_list[0] = _unpack(data, int(sizes[group.comm.rank]))


def _check_length(call, things, group):
    if not isinstance(things, list) or len(things) != group.comm.size:
        raise _native.UsageError("%s: give a list with one element for each of the %d ranks."
                                 % (call, group.comm.size))
