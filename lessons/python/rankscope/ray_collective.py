"""ray.util.collective on rankscope: the functions, for rankscope's stand-in for Ray and for Ray itself.

Each group is a world of its own: its ranks meet under the group's name. As on Ray with gloo, a send ends only when its
receive is there, sends to oneself are refused, and only the number of bytes has to fit."""

import os
import sys
import threading

from . import _memory, _native, _session

kMultiGpu = ("allreduce", "reduce", "broadcast", "allgather", "reducescatter", "send", "recv")
_kOperators = {"SUM": _native.SUM, "PRODUCT": _native.PRODUCT, "MIN": _native.MIN, "MAX": _native.MAX}


class Collectives:
    """The functions of ray.util.collective. `platform` says where this process is (see _Platform in the stand-in)."""

    def __init__(self, platform):
        self._platform = platform
        self._groups = {}
        self._lock = threading.Lock()

    def functions(self):
        """The functions of a module: name -> function."""
        found = {name: getattr(self, name) for name in dir(self) if not name.startswith("_") and name != "functions"}
        found.update({f"{name}_multigpu": _without_gpus(name) for name in kMultiGpu})
        found["synchronize"] = _without_gpus("synchronize", "")
        return found

    # ---- groups ----

    def init_collective_group(self, world_size, rank, backend="NCCL", group_name="default", gloo_timeout=30000):
        self._check_inside()
        if not group_name or not isinstance(group_name, str):
            raise ValueError(f"group_name '{group_name}' needs to be a string.")
        if group_name in self._groups and self._groups[group_name].open:  # otherwise a failed run left it behind
            raise RuntimeError("Trying to initialize a group a second time.")
        _check_backend(backend)
        assert world_size > 0, f"world_size is {world_size}; it has to be the number of actors in the group"
        assert 0 <= rank < world_size, f"rank {rank} does not exist in a group of {world_size} (0 to {world_size - 1})"
        self._join(group_name, world_size, rank)

    def create_collective_group(self, actors, world_size, ranks, backend="NCCL", group_name="default",
                                gloo_timeout=30000):
        key = _declared(group_name)
        if self._platform.kept(key):
            raise RuntimeError("Trying to initialize a group twice.")
        if len(ranks) != len(actors):
            raise RuntimeError(f"Each actor should correspond to one rank. Got '{len(ranks)}' ranks but"
                               f" '{len(actors)}' actors")
        if set(ranks) != set(range(len(ranks))):
            raise RuntimeError(f"Ranks must be a permutation from 0 to '{len(ranks) - 1}'. Got {list(ranks)}.")
        if world_size != len(ranks):
            raise RuntimeError(f"World size is {world_size}, but there are {len(ranks)} actors: a group has one rank"
                               " for each actor.")
        _check_backend(backend)
        self._platform.keep(key, (world_size, {a._ray_actor_id: r for a, r in zip(actors, ranks)}))

    def destroy_collective_group(self, group_name="default"):
        self._check_inside()
        session = self._groups.pop(group_name, None)
        if session is None:
            print(f"The group '{group_name}' does not exist.", file=sys.stderr)
            return
        self._platform.keep(_declared(group_name), None)
        session.leave()
        self._platform.left(group_name)

    def is_group_initialized(self, group_name):
        return group_name in self._groups

    def get_rank(self, group_name="default"):
        self._check_inside()
        return self._groups[group_name].world.rank if group_name in self._groups else -1

    def get_collective_group_size(self, group_name="default"):
        self._check_inside()
        return self._groups[group_name].world.size if group_name in self._groups else -1

    def get_group_handle(self, group_name="default"):
        self._check_inside()
        with self._lock:
            session = self._groups.get(group_name)
            if session is None or session.process != os.getpid():
                world_size, rank = self._look_up(group_name)
                session = self._join(group_name, world_size, rank)
            return session.world

    def nccl_available(self):
        return False

    def gloo_available(self):
        return True

    def is_backend_available(self, backend):
        return backend.upper() in ("GLOO", "TORCH_GLOO")

    def _join(self, group_name, world_size, rank):
        self._platform.joins(group_name, world_size, rank)
        session = _session.join(rank, world_size, group_name, "ray", self._platform.program())
        self._platform.joined(group_name)
        self._groups[group_name] = session
        return session

    def _look_up(self, group_name):
        declared = self._platform.kept(_declared(group_name))
        if declared:
            world_size, ranks = declared
            rank = ranks.get(self._platform.actor_id())
            if rank is not None:
                return world_size, rank
        raise RuntimeError(f"The collective group '{group_name}' is not initialized in the process. Call"
                           " init_collective_group in every actor, or create_collective_group in the driver, first.")

    def _check_inside(self):
        boxed = os.environ.get("RANKSCOPE_AGENT")  # a contract exercise: the worker is made there, without Ray
        if not boxed and not self._platform.inside_worker():
            raise RuntimeError("The collective APIs shall be only used inside a Ray actor or task.")

    # ---- messages ----

    def send(self, tensor, dst_rank, group_name="default"):
        self._with_peer(tensor, group_name, dst_rank, "sending").send(tensor, dst_rank)

    def recv(self, tensor, src_rank, group_name="default"):
        self._with_peer(tensor, group_name, src_rank, "receiving").recv(tensor, src_rank, 0)

    def _with_peer(self, tensor, group_name, peer, what):
        comm = self._checked(tensor, group_name, peer)
        if peer == comm.rank:
            comm.note(_native.SELF_SEND, peer)
            raise RuntimeError(f"The destination rank '{peer}' is self. A rank has its own data already: copy it"
                               f" without {what}.")
        _check_contiguous(comm, tensor, peer)
        return comm

    def _checked(self, tensor, group_name, *ranks):
        _check_tensor(tensor)
        comm = self.get_group_handle(group_name)
        for rank in ranks:
            rank = _native.as_rank(rank, "ray.util.collective")
            if rank < 0:
                raise ValueError(f"rank '{rank}' is negative: rank {rank} does not exist, the ranks are 0 to"
                                 f" {comm.size - 1}. The neighbour on the left is (rank - 1) % world_size.")
            if rank >= comm.size:
                raise ValueError(f"rank '{rank}' must be less than world size '{comm.size}': rank {rank} does not exist,"
                                 f" the ranks are 0 to {comm.size - 1}. Skip a partner that does not exist, or count"
                                 f" modulo world_size.")
        return comm

    # ---- built-in collectives ----

    def barrier(self, group_name="default"):
        self.get_group_handle(group_name).barrier()

    def allreduce(self, tensor, group_name="default", op="SUM"):
        comm = self._checked(tensor, group_name)
        _check_contiguous(comm, tensor, -1)
        with _Reducible(tensor) as data:
            comm.allreduce(data.tensor, _operator(op))

    def reduce(self, tensor, dst_rank=0, group_name="default", op="SUM"):
        comm = self._checked(tensor, group_name, dst_rank)
        _check_contiguous(comm, tensor, -1)
        mine = comm.rank == dst_rank
        with _Reducible(tensor, write=mine) as data:
            # The algorithms reduce on the way to the root; on Ray, the other ranks' tensors stay unchanged.
            buffer = data.tensor if mine else _copied(data.tensor)
            memory, _ = _memory.describe(buffer, comm.session.full_trace, True)
            comm.run_collective(b"reduce", memory, memory, _operator(op), dst_rank)

    def broadcast(self, tensor, src_rank=0, group_name="default"):
        comm = self._checked(tensor, group_name, src_rank)
        _check_contiguous(comm, tensor, -1)
        comm.broadcast(tensor, src_rank)

    def allgather(self, tensor_list, tensor, group_name="default"):
        comm = self._checked(tensor, group_name)
        _check_list(tensor_list, comm, tensor, "allgather")
        flat = _empty_like(tensor, comm.size)
        comm.allgather(flat, _flat(tensor))
        for target, part in zip(tensor_list, _parts(flat, comm.size)):
            target[...] = part.reshape(tuple(target.shape))

    def reducescatter(self, tensor, tensor_list, group_name="default", op="SUM"):
        comm = self._checked(tensor, group_name)
        _check_list(tensor_list, comm, tensor, "reducescatter")
        _check_contiguous(comm, tensor, -1)
        flat = _empty_like(tensor, comm.size)
        for part, source in zip(_parts(flat, comm.size), tensor_list):
            part[...] = source.reshape(-1)
        with _Reducible(tensor, flat) as data:
            comm.reduce_scatter(data.tensor, data.source, _operator(op))


def _declared(group_name):
    return f"collective:{group_name}"


def _without_gpus(name, suffix="_multigpu"):
    def missing(*_, **__):
        raise NotImplementedError(f"{name}{suffix} needs GPUs and NCCL; rankscope's ranks are on the CPU. Use"
                                  f" {name if suffix else 'barrier'} with CPU tensors and backend=\"gloo\".")
    missing.__name__ = name + suffix
    return missing


def _check_backend(backend):
    name = str(backend).upper()
    if name in ("GLOO", "TORCH_GLOO"):
        return
    if name == "NCCL":
        raise RuntimeError("Backend NCCL is not available: it needs GPUs, and rankscope's ranks are on the CPU. It is"
                           " the default of this function, so say backend=\"gloo\".")
    raise ValueError(f"Unrecognized backend: '{backend}'. Say backend=\"gloo\".")


def _operator(op):
    name = getattr(op, "name", op)
    if name not in _kOperators:
        raise ValueError(f"{op!r} is no reduce operation; there are types.ReduceOp.SUM, PRODUCT, MIN and MAX.")
    return _kOperators[name]


def _is_array(thing):
    return isinstance(thing, getattr(sys.modules.get("numpy"), "ndarray", ()))


def _check_tensor(tensor):
    if not _memory.is_tensor(tensor) and not _is_array(tensor):
        raise RuntimeError(f"Unrecognized tensor type '{type(tensor)}'. Supported types are: np.ndarray,"
                           " torch.Tensor.")


def _check_list(tensors, comm, tensor, name):
    if not isinstance(tensors, list):
        raise RuntimeError(f"The input must be a list of tensors. Got '{type(tensors)}'.")
    if len(tensors) != comm.size:
        raise RuntimeError(f"The length of the tensor list operands to {name} must be equal to world_size: there are"
                           f" {len(tensors)}, and {comm.size} ranks.")
    for other in tensors:
        _check_tensor(other)
        if _count(other) != _count(tensor) or other.dtype != tensor.dtype:
            raise ValueError(f"All tensors of {name} must be of one size and type: one has {_count(other)} elements of"
                             f" {other.dtype}, another {_count(tensor)} of {tensor.dtype}.")


def _check_contiguous(comm, tensor, peer):
    if not _memory.is_contiguous(tensor):
        comm.note(_native.NOT_CONTIGUOUS, peer)
        copied = ".contiguous()" if _memory.is_tensor(tensor) else "numpy.ascontiguousarray(x)"
        raise ValueError(f"Tensors must be contiguous: this one is a view with gaps (a column, a transpose). Use a copy"
                         f" ({copied}), and copy it back where it is a result.")


def _count(tensor):
    return tensor.numel() if _memory.is_tensor(tensor) else tensor.size


def _flat(tensor):
    return tensor.contiguous().reshape(-1) if _memory.is_tensor(tensor) else tensor.reshape(-1)


def _empty_like(tensor, times):
    if _memory.is_tensor(tensor):
        return tensor.new_empty(tensor.numel() * times)
    return sys.modules["numpy"].empty(tensor.size * times, tensor.dtype)


def _parts(flat, count):
    size = _count(flat) // count
    return [flat[i * size:(i + 1) * size] for i in range(count)]


class _Reducible:
    """The tensor itself, or a copy in a type that the engine reduces, which is copied back at the end."""

    def __init__(self, tensor, source=None, write=True):
        self._given, self._write = tensor, write
        wide = _wider(tensor)
        self.tensor = tensor if wide is None else _converted(tensor, wide)
        self.source = source if wide is None or source is None else _converted(source, wide)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None and self._write and self.tensor is not self._given:
            self._given[...] = _converted(self.tensor, self._given.dtype)


def _copied(tensor):
    return tensor.detach().clone() if _memory.is_tensor(tensor) else tensor.copy()


def _converted(tensor, dtype):
    return tensor.to(dtype) if _memory.is_tensor(tensor) else tensor.astype(dtype)


def _wider(tensor):
    """A type for the reduction, if the engine lacks the tensor's: it has bytes, integers and floats."""
    name = str(tensor.dtype).replace("torch.", "")
    if name in ("uint8", "int32", "int64", "float32", "float64"):
        return None
    wide = {"float16": "float32", "bfloat16": "float32", "int8": "int32", "int16": "int32", "uint16": "int64",
            "uint32": "int64", "bool": "uint8"}.get(name)
    if wide is None:
        raise RuntimeError(f"Tensors of {name} cannot be reduced. Use float32, float64, int32 or int64.")
    return getattr(sys.modules["torch"], wide) if _memory.is_tensor(tensor) else wide
