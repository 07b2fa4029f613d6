"""The built-in collectives of a process group. Each is one call of the library, which runs one of rankscope's algorithms
and marks it in the trace as built in, with the line of the program that called it.

Where gloo's result is undefined, ours is too: after reduce(), the tensors of ranks other than the root hold partial
results. Methods that torch renamed are available under each release's name.
"""
import torch

from .. import _lost, _memory, _native
from .._comm import Request
from . import checks, training
from .work import Done, Several, Work


class Collectives:
    """The methods of a process group for collectives; ranks are the group's own."""

    def _run(self, name, source, target, later, op=0, root=0, tensors=(), after=None):
        """Carries out one call on contiguous tensors; `after` copies its result to where it belongs."""
        self._number += 1
        given = None if source is None else self.memory_of(source)
        wanted = given if target is source else self.memory_of(target) if target is not None else None
        handle = self.comm.run_collective(name, given, wanted, op, root, None, later)
        if later:
            work = Work(Request(self.comm, handle, (source, target)), list(tensors), after)
            work.hold()
            if later == checks.INNER:
                work.need_no_wait()
            if self._coalesced is not None:
                self._coalesced.append(work)
            return work
        if after is not None:
            after()
        _lost.kept()
        return Done(list(tensors))

    # ---- barrier ----

    def barrier(self, opts=None):
        return self._run(b"barrier", None, None, checks.calling()[1])

    def monitored_barrier(self, timeout=None, wait_all_ranks=False):
        """A barrier; the explanation of a deadlock names the ranks that have not called it."""
        self._run(b"barrier", None, None, False)

    # ---- coalescing ----

    def _start_coalescing(self, device=None):
        self._coalesced = []

    def _end_coalescing(self, device=None):
        works, self._coalesced = self._coalesced or [], None
        return Several(works)

    # ---- reductions ----

    def allreduce(self, tensors, opts=None, op=None, timeout=None):
        """In place: afterwards every rank has the reduction of all ranks' tensors."""
        return self._allreduce(_only(tensors), _operator(opts, op), checks.calling()[1])

    def _allreduce(self, tensor, op, later):
        if later != checks.INNER:
            _lost.reduced(tensor)
        code, work, after = self._reduced(tensor, op, "all_reduce")
        if later != checks.INNER and code == _native.SUM:
            _lost.summed(tensor)
            training.padded(tensor)
            training.unequal()
            _lost.averaged("all_reduce")
            if tensor.numel() == 1:
                _lost.single(tensor)
        if later is True:
            training.begun(tensor)
        elif not later:
            _lost.brought("all_reduce", tensor)
        own = tensor.clone() if code == _native.SUM and not later and tensor.dtype in training.SMALL else None
        done = self._run(b"allreduce", work, work, later, code, tensors=[tensor], after=after)
        if own is not None:
            training.overflow(own, tensor, work)
        return done

    def allreduce_coalesced(self, tensors, opts=None):
        later = checks.calling()[1]
        return Several([self._allreduce(tensor, _operator(opts), later) for tensor in tensors])

    def reduce(self, tensors, opts=None, op=None, timeout=None, root=None):
        """In place on the root. On other ranks the tensor is scratch memory afterwards."""
        later, tensor, root = checks.calling()[1], _only(tensors), self.checked_rank(_root(opts, root), "dst")
        code, work, after = self._reduced(tensor, _operator(opts, op), "reduce")
        # Algorithms reduce in place, so other ranks end with a part of the reduction, as with gloo.
        if self.comm.rank != root and later != checks.INNER:
            _lost.partial("reduce", tensor, self.ranks[root])
        return self._run(b"reduce", work, work, later, code, root, [tensor], after)

    def _reduced(self, tensor, op, call):
        """(the operator, the tensor's memory in a type that can be reduced, a function that copies it back, or None)"""
        code = checks.operator(op, tensor.dtype)
        dense = checks.dense_view(checks.plain(tensor), self, call)
        work = checks.reduction_copy(dense, code)
        if work.data_ptr() == dense.data_ptr():
            return code, work, None
        return code, work, lambda: _copy(dense, work)

    def _reduce_scatter_base(self, output, source, opts=None):
        """Rank r gets the reduction of all ranks' r-th part of `source`."""
        return self._reduce_scatter_one(output, source, _operator(opts), checks.calling()[1])

    reduce_scatter_single = _reduce_scatter_base

    def reduce_scatter_tensor_coalesced(self, outputs, sources, opts=None):
        later = checks.calling()[1]
        return Several([self._reduce_scatter_one(output, source, _operator(opts), later)
                        for output, source in zip(outputs, sources)])

    reduce_scatter_single_coalesced = reduce_scatter_tensor_coalesced

    def _reduce_scatter_one(self, output, source, op, later):
        call = "reduce_scatter_tensor"
        checks.check_count(call, "input", source, output.numel() * self.comm.size, self)
        checks.check_contiguous(self, call, -1, output, source)
        return self._reduce_scatter(checks.plain(output), checks.plain(source), op, later, [output])

    def reduce_scatter(self, outputs, source_lists, opts=None, op=None, timeout=None):
        """Rank r gets the reduction of all ranks' r-th tensor."""
        output, sources = _only(outputs), _list_of(source_lists, outputs)
        checks.check_list("reduce_scatter", "input_list", sources, output, self)
        target, after = _target(output)
        return self._reduce_scatter(target, _joined(sources), _operator(opts, op), checks.calling()[1], [output], after)

    def _reduce_scatter(self, output, source, op, later, tensors, after_all=None):
        code = checks.operator(op, source.dtype)
        given = checks.reduction_copy(source, code)
        if given.data_ptr() == source.data_ptr():
            wanted, after = checks.reduction_copy(output, code), after_all
        else:
            wanted = torch.empty(output.shape, dtype=given.dtype)

            def after():
                _copy(output, wanted)
                if after_all is not None:
                    after_all()
        return self._run(b"reduce_scatter", given, wanted, later, code, tensors=tensors, after=after)

    # ---- collectives that only move data ----

    def broadcast(self, tensors, opts=None, timeout=None, root=None):
        """Every rank gets the root's tensor."""
        tensor, root = _only(tensors), self.checked_rank(_root(opts, root), "src")
        dense, later = checks.dense_view(checks.plain(tensor), self, "broadcast"), checks.calling()[1]
        if self.comm.rank != root and later != checks.INNER:
            _lost.brought("broadcast", tensor)
        after = None if later else training.replaced(tensor)
        return self._run(b"broadcast", dense if self.comm.rank == root else None, dense, later, 0, root, [tensor], after)

    def allgather(self, output_lists, sources, opts=None):
        """outputs[r] becomes rank r's tensor, on every rank."""
        return self._gather_all(_list_of(output_lists, sources), _only(sources), checks.calling()[1])

    def _gather_all(self, outputs, source, later, several=False):
        checks.check_list("all_gather", "tensor_list", outputs, source, self)
        if not source.numel() and checks.is_first_release() and not several:
            raise _native.UsageError("all_gather: the tensors are empty; gloo crashes here (SIGFPE). Leave the call out "
                                     "on all ranks, or pad the tensors.")
        if source.grad_fn is not None and later != checks.INNER and torch.is_grad_enabled():
            training.cut()
        row, after = _apart(outputs, checks.overwriting("all_gather", "tensor_list", outputs))
        return self._run(b"allgather", checks.plain(source).contiguous(), row, later, tensors=outputs, after=after)

    def allgather_coalesced(self, output_lists, sources, opts=None):
        """output_lists[r][i] becomes rank r's sources[i]."""
        later = checks.calling()[1]
        if any(len(outputs) != len(sources) for outputs in output_lists):
            raise _native.UsageError("all_gather_coalesced: each list of output_tensor_lists needs as many tensors as "
                                     "input_tensor_list (%d): output_tensor_lists[r][i] becomes rank r's tensor i."
                                     % len(sources))
        return Several([self._gather_all([outputs[index] for outputs in output_lists], source, later, True)
                        for index, source in enumerate(sources)])

    def _allgather_base(self, output, source, opts=None):
        """All ranks' tensors one after the other, on every rank."""
        return self._gather_into(output, source, checks.calling()[1])

    all_gather_single = _allgather_base

    def allgather_into_tensor_coalesced(self, outputs, sources, opts=None):
        later = checks.calling()[1]
        return Several([self._gather_into(output, source, later) for output, source in zip(outputs, sources)])

    all_gather_single_coalesced = allgather_into_tensor_coalesced

    def _gather_into(self, output, source, later):
        call = "all_gather_into_tensor"
        checks.check_count(call, "output_tensor", output, source.numel() * self.comm.size, self)
        if output.dtype != source.dtype:
            raise _native.UsageError("%s: output tensor must have the same type as input tensor" % call)
        target, after = _target(output)
        return self._run(b"allgather", checks.plain(source).contiguous(), target, later, tensors=[output], after=after)

    def gather(self, output_lists, sources, opts=None, timeout=None, root=None):
        """On the root, outputs[r] becomes rank r's tensor."""
        later, source, root = checks.calling()[1], _only(sources), self.checked_rank(_root(opts, root), "dst")
        if self.comm.rank != root:
            return self._run(b"gather", checks.plain(source).contiguous(), None, later, 0, root, [source])
        outputs = _list_of(output_lists, sources)
        checks.check_list("gather", "gather_list", outputs, source, self)
        row, after = _apart(outputs, checks.overwriting("gather", "gather_list", outputs))
        return self._run(b"gather", checks.plain(source).contiguous(), row, later, 0, root, outputs, after)

    def gather_single(self, output, source, opts=None):
        """On the root, all ranks' tensors one after the other."""
        later, root = checks.calling()[1], self.checked_rank(_root(opts), "dst")
        row, after = _target(output) if self.comm.rank == root else (None, None)
        return self._run(b"gather", checks.plain(source).contiguous(), row, later, 0, root, [output], after)

    gather_into_tensor = gather_single

    def scatter(self, outputs, source_lists, opts=None, timeout=None, root=None):
        """Rank r gets the root's r-th tensor."""
        later, output, root = checks.calling()[1], _only(outputs), self.checked_rank(_root(opts, root), "src")
        row = None
        if self.comm.rank == root:
            sources = _list_of(source_lists, outputs)
            checks.check_list("scatter", "scatter_list", sources, output, self)
            checks.check_memory_order(self, "scatter", output, sources)
            row = _joined(sources)
        target, after = _target(output)
        return self._run(b"scatter", row, target, later, 0, root, [output], after)

    # ---- all to all ----

    def alltoall(self, outputs, sources, opts=None):
        """outputs[r] becomes rank r's tensor for this rank."""
        if checks.is_first_release():
            raise _native.UsageError("Backend gloo does not support alltoall. Use all_to_all_single on one tensor, or "
                                     "isend and irecv to each rank.")
        return self._exchange([checks.plain(one) for one in outputs], [checks.plain(one) for one in sources],
                              checks.calling()[1])

    def alltoall_base(self, output, source, output_sizes, source_sizes, opts=None):
        """Rank r gets the r-th part of every rank's input; parts are rows."""
        later = checks.calling()[1]
        checks.check_contiguous(self, "all_to_all_single", -1, output, source)
        output, source = checks.plain(output), checks.plain(source)
        if output_sizes or source_sizes:
            return self._exchange(self._parts(output, output_sizes, "output"),
                                  self._parts(source, source_sizes, "input"), later)
        for name, tensor in (("output", output), ("input", source)):
            if not tensor.dim() or tensor.shape[0] % self.comm.size:
                raise _native.UsageError("all_to_all_single: %s's first dimension (%s) is not divisible by the %d ranks. "
                                         "Give split sizes, or pad the tensor."
                                         % (name, tuple(tensor.shape), self.comm.size))
        checks.check_count("all_to_all_single", "output", output, source.numel(), self)
        return self._run(b"alltoall", source, output, later, tensors=[output])

    all_to_all_single = alltoall_base

    def _parts(self, tensor, sizes, name):
        sizes = list(sizes) if sizes else [tensor.shape[0] // self.comm.size] * self.comm.size
        if len(sizes) != self.comm.size or sum(sizes) != tensor.shape[0]:
            raise _native.UsageError("all_to_all_single: Split sizes doesn't match total dim 0 size: %s_split_sizes=%s "
                                     "for %d ranks and %s." % (name, sizes, self.comm.size, tuple(tensor.shape)))
        return tensor.split(sizes)

    def _exchange(self, wanted, given, later):
        """An all-to-all of messages, since the library's has equal parts."""
        comm = self.comm
        if wanted[comm.rank].numel() != given[comm.rank].numel():
            raise _native.UsageError("all_to_all_single: this rank's own part has %d elements in input and %d in output. "
                                     "Give both split sizes the same entry for rank %d."
                                     % (given[comm.rank].numel(), wanted[comm.rank].numel(), comm.rank))
        wanted[comm.rank].copy_(given[comm.rank].view(wanted[comm.rank].shape))
        others = [(comm.rank + step) % comm.size for step in range(1, comm.size)]
        with comm.phase("all_to_all_single"):
            works = [self._part_of_exchange(wanted[rank], rank, True) for rank in reversed(others)]
            works += [self._part_of_exchange(given[rank], rank, False) for rank in others]
            both = Several(works, list(wanted))
            if not later:
                both.wait()
        return both

    def _part_of_exchange(self, tensor, rank, receives):
        checks.check_contiguous(self, "all_to_all_single", rank, tensor)
        start = self.comm.start_receive if receives else self.comm.start_send
        return Work(Request(self.comm, start(self.memory_of(tensor), rank, _UNEVEN_TAG), tensor), [tensor])


# Programs use small tags; these messages must not match theirs.
_UNEVEN_TAG = 0x40000000


def _operator(opts, op=None):
    """Returns a call's ReduceOp. Programs that call a group's method may pass it directly, or leave it out (SUM)."""
    given = op if op is not None else getattr(opts, "reduceOp", opts)
    return torch.distributed.ReduceOp.SUM if given is None or isinstance(given, int) else given


def _root(opts, root=None):
    """Returns the root as a rank of the group; it may also be passed directly."""
    given = root if root is not None else getattr(opts, "rootRank", opts)
    return 0 if given is None else given


def _list_of(lists, tensors):
    """Returns the list of tensors for this device; programs may pass it without the outer list."""
    return lists if isinstance(tensors, torch.Tensor) else _only(lists)


def _only(things):
    """The element of a list of one: releases pass one tensor for each device. Programs may give the tensor itself."""
    if isinstance(things, torch.Tensor):
        return things
    if len(things) != 1:
        raise _native.UsageError("rankscope's ranks have one device each: pass one tensor, not %d."
                                 % len(things))
    return things[0]


def _copy(target, source):
    with torch.no_grad():
        target.copy_(source)


def _row(tensors):
    """The tensors as one, without copying, when they lie one after the other (as chunks of a tensor do)."""
    first = tensors[0]
    size = first.numel() * first.element_size()
    start = first.data_ptr()
    memory = _memory._storage(first)
    for index, tensor in enumerate(tensors):
        if not tensor.is_contiguous() or tensor.data_ptr() != start + index * size or \
                _memory._storage(tensor).data_ptr() != memory.data_ptr():
            return None
    return checks.plain(first).as_strided((first.numel() * len(tensors),), (1,))


def _joined(tensors):
    """The tensors' contents as one contiguous tensor."""
    row = _row(tensors)
    return row if row is not None else torch.cat([checks.plain(tensor).reshape(-1) for tensor in tensors])


def _apart(tensors, look=None):
    """(a tensor for all, a function that copies its parts back, or None); `look` is called with the parts first."""
    row = _row(tensors)
    if row is not None:
        return row, None
    first = tensors[0]
    row = torch.empty(first.numel() * len(tensors), dtype=first.dtype)

    def copy():
        parts = row.chunk(len(tensors)) if first.numel() else ()
        if look is not None:
            look(parts)
        for tensor, part in zip(tensors, parts):
            _copy(tensor, part.view(tensor.shape))
    return row, copy


def _target(tensor):
    """(a contiguous tensor to be filled, a function that copies it into `tensor`, or None)"""
    plain = checks.plain(tensor)
    if plain.is_contiguous():
        return plain, None
    packed = plain.contiguous()
    return packed, lambda: _copy(plain, packed)
