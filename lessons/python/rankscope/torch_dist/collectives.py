"""The built-in collectives. Each is one call of the library, which runs one of rankscope's algorithms and marks it in
the trace as built in, with the line of the program that called it.

What gloo leaves open is left open here: after reduce(), the tensors of ranks other than the root hold partial results.
"""
import torch

from .. import _native
from .._comm import Request
from . import groups
from .p2p import irecv, isend
from .work import Pair, Work

NAMES = ("barrier", "monitored_barrier", "all_reduce", "reduce", "broadcast", "gather", "scatter", "all_gather",
         "all_gather_into_tensor", "_all_gather_base", "reduce_scatter", "reduce_scatter_tensor",
         "_reduce_scatter_base", "all_to_all", "all_to_all_single")

_SUM = torch._C._distributed_c10d.ReduceOp.SUM


def _run(group, name, source, target, async_op, op=0, root=0, tensors=(), after=None):
    """Carries out one call on contiguous tensors; `after` copies its result to where it belongs."""
    comm = group.comm
    given = None if source is None else groups.memory_of(source, group)
    wanted = given if target is source else groups.memory_of(target, group) if target is not None else None
    handle = comm.run_collective(name, given, wanted, op, root, None, async_op)
    if async_op:
        return Work(Request(comm, handle, (source, target)), list(tensors), after)
    if after is not None:
        after()
    return None


def _root(group, rank, own_number, call, what, default=None):
    """The group's own number of the root."""
    if own_number is not None:
        return own_number
    if rank is None:
        rank = default
    if rank is None:
        raise _native.UsageError("%s: which rank is the root? Give %s." % (call, what))
    return group.local_rank(rank, what)


# ---- barrier ----

def barrier(group=None, async_op=False, device_ids=None):
    group = groups.resolve(group, "barrier")
    return None if group is None else _run(group, b"barrier", None, None, async_op)


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """A barrier; the explanation of a deadlock names the ranks that do not come."""
    barrier(group)


# ---- reductions ----

def _reduced(group, tensor, op, call):
    """(the operator, the tensor's memory in a type that can be reduced, what copies it back or None)"""
    groups.check_tensor(tensor, "tensor")
    code = groups.operator(op, tensor.dtype)
    dense = groups.dense_view(groups.plain(tensor), group, call)
    work = groups.reduction_copy(dense, code)
    if work.data_ptr() == dense.data_ptr():
        return code, work, None
    return code, work, lambda: dense.copy_(work)


def all_reduce(tensor, op=_SUM, group=None, async_op=False):
    """In place: afterwards every rank has the reduction of all ranks' tensors."""
    group = groups.resolve(group, "all_reduce")
    if group is None:
        return None
    code, work, after = _reduced(group, tensor, op, "all_reduce")
    return _run(group, b"allreduce", work, work, async_op, code, tensors=[tensor], after=after)


def reduce(tensor, dst=None, op=_SUM, group=None, async_op=False, group_dst=None):
    """In place on the root. On other ranks the tensor is scratch memory afterwards."""
    group = groups.resolve(group, "reduce")
    if group is None:
        return None
    root = _root(group, dst, group_dst, "reduce", "dst")
    code, work, after = _reduced(group, tensor, op, "reduce")
    # Algorithms reduce in place, so other ranks end with a part of the reduction, as with gloo.
    return _run(group, b"reduce", work, work, async_op, code, root, [tensor], after)


def reduce_scatter_tensor(output, input, op=_SUM, group=None, async_op=False):
    """Rank r gets the reduction of all ranks' r-th part of `input`."""
    group = groups.resolve(group, "reduce_scatter_tensor")
    if group is None:
        return None
    groups.check_tensor(output, "output")
    groups.check_tensor(input, "input")
    _check_count("reduce_scatter_tensor", "input", input, output.numel() * group.comm.size, group)
    groups.check_contiguous(group, "reduce_scatter_tensor", -1, output, input)
    return _reduce_scatter(group, groups.plain(output), groups.plain(input), op, async_op, [output])


def _reduce_scatter(group, output, source, op, async_op, tensors, after_all=None):
    code = groups.operator(op, source.dtype)
    given = groups.reduction_copy(source, code)
    if given.data_ptr() == source.data_ptr():
        wanted, after = groups.reduction_copy(output, code), after_all
    else:
        wanted = torch.empty(output.shape, dtype=given.dtype)

        def after():
            output.copy_(wanted)
            if after_all is not None:
                after_all()
    return _run(group, b"reduce_scatter", given, wanted, async_op, code, tensors=tensors, after=after)


_reduce_scatter_base = reduce_scatter_tensor


def reduce_scatter(output, input_list, op=_SUM, group=None, async_op=False):
    """Rank r gets the reduction of all ranks' input_list[r]."""
    group = groups.resolve(group, "reduce_scatter")
    if group is None:
        return None
    groups.check_tensor(output, "output")
    _check_list("reduce_scatter", "input_list", input_list, output, group)
    packed = _joined(input_list)
    target, after = _target(output)
    return _reduce_scatter(group, target, packed, op, async_op, [output], after)


# ---- collectives that only move data ----

def _check_count(call, name, tensor, count, group):
    if tensor.numel() != count:
        raise _native.UsageError("%s: %s has %d elements where %d belong (%d ranks). Allocate it with the right size."
                                 % (call, name, tensor.numel(), count, group.comm.size))


def _check_list(call, name, tensors, like, group):
    groups.check_list(tensors, name)
    if len(tensors) != group.comm.size:
        raise _native.UsageError("%s: invalid %s (expected length %d, got %d). It needs one tensor for each rank of "
                                 "the group." % (call, name, group.comm.size, len(tensors)))
    for index, tensor in enumerate(tensors):
        if tensor.numel() != like.numel():
            raise _native.UsageError("%s: invalid tensor size at index %d of %s (expected %s, got %s). All ranks' "
                                     "parts must have one size; pad the shorter ones."
                                     % (call, index, name, tuple(like.shape), tuple(tensor.shape)))
        if tensor.dtype != like.dtype:
            raise _native.UsageError("%s: invalid tensor type at index %d of %s (expected %s, got %s)."
                                     % (call, index, name, like.dtype, tensor.dtype))


def _check_roots_list(call, name, tensors, like, group, is_root, side):
    """Only the root gives a list."""
    if is_root and not tensors:
        raise _native.UsageError("%s: argument %s must be specified on the %s rank; give it one tensor for each rank."
                                 % (call, name, side))
    if is_root:
        _check_list(call, name, tensors, like, group)
    elif tensors:
        raise _native.UsageError("%s: argument %s must NOT be specified on non-%s ranks; give None there."
                                 % (call, name, side))


def _row(tensors):
    """The tensors as one, without copying, when they lie one after the other (as chunks of a tensor do)."""
    first = tensors[0]
    size = first.numel() * first.element_size()
    start = first.data_ptr()
    memory = groups._memory._storage(first)
    for index, tensor in enumerate(tensors):
        if not tensor.is_contiguous() or tensor.data_ptr() != start + index * size or \
                groups._memory._storage(tensor).data_ptr() != memory.data_ptr():
            return None
    return groups.plain(first).as_strided((first.numel() * len(tensors),), (1,))


def _joined(tensors):
    """The tensors' contents as one contiguous tensor."""
    row = _row(tensors)
    return row if row is not None else torch.cat([groups.plain(tensor).reshape(-1) for tensor in tensors])


def _apart(tensors):
    """(a tensor for all, what copies its parts into the tensors or None)"""
    row = _row(tensors)
    if row is not None:
        return row, None
    first = tensors[0]
    row = torch.empty(first.numel() * len(tensors), dtype=first.dtype)

    def copy():
        for tensor, part in zip(tensors, row.chunk(len(tensors)) if first.numel() else ()):
            groups.plain(tensor).copy_(part.view(tensor.shape))
    return row, copy


def _target(tensor):
    """(a contiguous tensor to be filled, what copies it into `tensor` or None)"""
    plain = groups.plain(tensor)
    if plain.is_contiguous():
        return plain, None
    packed = plain.contiguous()
    return packed, lambda: plain.copy_(packed)


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    """Every rank gets the root's tensor."""
    group = groups.resolve(group, "broadcast")
    if group is None:
        return None
    groups.check_tensor(tensor, "tensor")
    root = _root(group, src, group_src, "broadcast", "src")
    dense = groups.dense_view(groups.plain(tensor), group, "broadcast")
    return _run(group, b"broadcast", dense if group.comm.rank == root else None, dense, async_op, 0, root, [tensor])


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """tensor_list[r] becomes rank r's tensor, on every rank."""
    group = groups.resolve(group, "all_gather")
    if group is None:
        return None
    groups.check_tensor(tensor, "tensor")
    _check_list("all_gather", "tensor_list", tensor_list, tensor, group)
    row, after = _apart(tensor_list)
    return _run(group, b"allgather", groups.plain(tensor).contiguous(), row, async_op, tensors=tensor_list,
                after=after)


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """All ranks' tensors one after the other, on every rank."""
    group = groups.resolve(group, "all_gather_into_tensor")
    if group is None:
        return None
    groups.check_tensor(output_tensor, "output_tensor")
    groups.check_tensor(input_tensor, "input_tensor")
    _check_count("all_gather_into_tensor", "output_tensor", output_tensor, input_tensor.numel() * group.comm.size,
                 group)
    if output_tensor.dtype != input_tensor.dtype:
        raise _native.UsageError("all_gather_into_tensor: output tensor must have the same type as input tensor")
    target, after = _target(output_tensor)
    return _run(group, b"allgather", groups.plain(input_tensor).contiguous(), target, async_op,
                tensors=[output_tensor], after=after)


_all_gather_base = all_gather_into_tensor


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    """On the root, gather_list[r] becomes rank r's tensor."""
    group = groups.resolve(group, "gather")
    if group is None:
        return None
    groups.check_tensor(tensor, "tensor")
    root = _root(group, dst, group_dst, "gather", "dst", 0)
    mine = group.comm.rank == root
    _check_roots_list("gather", "gather_list", gather_list, tensor, group, mine, "destination")
    row, after = _apart(gather_list) if mine else (None, None)
    return _run(group, b"gather", groups.plain(tensor).contiguous(), row, async_op, 0, root,
                gather_list if mine else [tensor], after)


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    """Rank r gets the root's scatter_list[r]."""
    group = groups.resolve(group, "scatter")
    if group is None:
        return None
    groups.check_tensor(tensor, "tensor")
    root = _root(group, src, group_src, "scatter", "src", 0)
    mine = group.comm.rank == root
    _check_roots_list("scatter", "scatter_list", scatter_list, tensor, group, mine, "source")
    target, after = _target(tensor)
    return _run(group, b"scatter", _joined(scatter_list) if mine else None, target, async_op, 0, root, [tensor], after)


# ---- all to all ----

def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """Is refused, as with gloo, so that programs that run here also run there."""
    raise _native.UsageError("Backend gloo does not support alltoall. Use all_to_all_single on one tensor, or isend "
                             "and irecv to each rank.")


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    """Rank r gets the r-th part of every rank's input; parts are rows."""
    group = groups.resolve(group, "all_to_all_single")
    if group is None:
        return None
    groups.check_tensor(output, "output")
    groups.check_tensor(input, "input")
    groups.check_contiguous(group, "all_to_all_single", -1, output, input)
    output, input = groups.plain(output), groups.plain(input)
    if output_split_sizes or input_split_sizes:
        return _uneven_all_to_all(output, input, output_split_sizes, input_split_sizes, group, async_op)
    for name, tensor in (("output", output), ("input", input)):
        if not tensor.dim() or tensor.shape[0] % group.comm.size:
            raise _native.UsageError("all_to_all_single: %s's first dimension (%s) is not divisible by the %d ranks. "
                                     "Give split sizes, or pad the tensor."
                                     % (name, tuple(tensor.shape), group.comm.size))
    _check_count("all_to_all_single", "output", output, input.numel(), group)
    return _run(group, b"alltoall", input, output, async_op, tensors=[output])


# Programs use small tags; these messages must not match theirs.
_UNEVEN_TAG = 0x40000000


def _uneven_all_to_all(output, source, output_sizes, input_sizes, group, async_op):
    """An all-to-all of messages, since the library's has equal parts."""
    comm = group.comm

    def parts(tensor, sizes, name):
        sizes = list(sizes) if sizes else [tensor.shape[0] // comm.size] * comm.size
        if len(sizes) != comm.size or sum(sizes) != tensor.shape[0]:
            raise _native.UsageError("all_to_all_single: Split sizes doesn't match total dim 0 size: %s_split_sizes=%s "
                                     "for %d ranks and %s." % (name, sizes, comm.size, tuple(tensor.shape)))
        return tensor.split(sizes)
    wanted, given = parts(output, output_sizes, "output"), parts(source, input_sizes, "input")
    if wanted[comm.rank].numel() != given[comm.rank].numel():
        raise _native.UsageError("all_to_all_single: this rank's own part has %d elements in input and %d in output."
                                 % (given[comm.rank].numel(), wanted[comm.rank].numel()))
    wanted[comm.rank].copy_(given[comm.rank])
    others = [(comm.rank + step) % comm.size for step in range(1, comm.size)]
    with comm.phase("all_to_all_single"):
        works = [irecv(wanted[rank], group=group, group_src=rank, tag=_UNEVEN_TAG) for rank in reversed(others)]
        works += [isend(given[rank], group=group, group_dst=rank, tag=_UNEVEN_TAG) for rank in others]
        if not async_op:
            for work in works:
                work.wait()
            return None
    return Work(Pair([work._request for work in works]), [output])
