"""Collectives. They run rankscope's built-in algorithms, and are marked as built-in in the trace."""

import pickle

from rankscope import _comm, _lost

from . import _world
from ._buffers import IN_PLACE, parts, piece, warn, warn_of_order
from ._errors import failed, missing
from ._operations import combine, engine_reduces, ops
from ._requests import Request
from ._types import by_code, by_typestr

_kBytes = by_code["B"]
_kLong = by_code["l"]


def _new(count, datatype=_kBytes):
    """New memory: (its bytes, its piece)."""
    data = bytearray(count * datatype.size)
    return data, piece([data, count, datatype] if data else None, False, True)


def _warn_of_kinds(block, whole):
    """Warns of a floating-point array that goes into one of whole numbers, or the reverse: MPI copies the bits."""
    kinds = [getattr(getattr(one.array, "dtype", None), "kind", "") for one in (block, whole)]
    if "f" in kinds and set(kinds) & set("iu") and block.datatype.name != whole.datatype.name and any(block.copy()):
        made = _lost.where_made((block if kinds[0] != "f" else whole).array)
        warn(f"one side is an array of {block.array.dtype}, the other of {whole.array.dtype}",
             f"Give both arrays one dtype{made}.", "MPI copies the bits as they are, so that other numbers come of them.")


def _cut_to(block, size):
    """Leaves the first bytes of a piece that is larger than what comes."""
    memory = type(block.memory).from_buffer_copy(block.memory)
    memory.count = memory.count * size // block.bytes
    block.memory, block.keep = memory, (block.memory, block.keep)


class Collectives:
    """The collective part of a communicator."""

    def _root(self, root):
        if not 0 <= root < self._comm.size:
            more = f"; give a root that is there, or start the program with -n {root + 1}" if root > 0 else ""
            raise failed("ERR_ROOT", f"{root}; there are ranks 0 to {self._comm.size - 1}{more}")
        return root == self._comm.rank

    def _piece(self, spec, write=False, blocks=1):
        return piece(spec, _world.full(self._comm), write, blocks)

    def _run(self, name, given, wanted, op=0, root=0, background=False):
        warn_of_order(given, wanted)
        handle = _world.run(self._comm, name, given and given.memory, wanted and wanted.memory, op, root, background)
        if not background:
            _lost.kept()
            return None
        return Request._done() if handle is None else Request._of(_comm.Request(self._comm, handle, (given, wanted)))

    def _gathered(self, data):
        """All ranks' bytes, of equal length on all ranks."""
        size = self._comm.size
        _, given = _new(len(data))
        given.fill(data)
        whole, wanted = _new(len(data) * size)
        self._run("allgather", given, wanted)
        return [bytes(whole[r * len(data):(r + 1) * len(data)]) for r in range(size)]

    def _sizes(self, *numbers):
        """All ranks' numbers, one list for each rank."""
        size = self._comm.size
        _, given = _new(len(numbers), _kLong)
        given.fill(b"".join(n.to_bytes(8, "little", signed=True) for n in numbers))
        whole, wanted = _new(len(numbers) * size, _kLong)
        self._run("allgather", given, wanted)
        flat = [int.from_bytes(whole[i:i + 8], "little", signed=True) for i in range(0, len(whole), 8)]
        return [flat[r * len(numbers):(r + 1) * len(numbers)] for r in range(size)]

    # ---- buffers ----

    def Barrier(self):
        self._run("barrier", None, None)

    barrier = Barrier

    def Ibarrier(self):
        return self._run("barrier", None, None, background=True)

    def Bcast(self, buf, root=0, _background=False):
        if not self._root(root) and (buf[0] if isinstance(buf, (list, tuple)) and len(buf) == 2 else buf) is None:
            raise TypeError(f"None has no room for what rank {root} broadcasts; give an array of the same shape and dtype on the"
                            " other ranks, too: numpy.empty(...) instead of None")
        data = self._piece(buf, not self._root(root))
        if not self._root(root):
            _lost.brought("Bcast", buf)
        return self._run("broadcast", data if self._root(root) else None, data, 0, root, _background)

    def Ibcast(self, buf, root=0):
        return self.Bcast(buf, root, True)

    def _pair(self, sendbuf, recvbuf, op):
        if recvbuf is None:
            raise TypeError("None is no buffer; give an array (numpy.zeros(1)) on each rank that gets the result, or use"
                            " the lower-case function, which returns it")
        wanted = self._piece(recvbuf, True)
        given = wanted if sendbuf is IN_PLACE else self._piece(sendbuf)
        if given.datatype is not wanted.datatype and given.datatype.name != wanted.datatype.name:
            raise ValueError(f"mismatch in send and receive MPI datatypes: {given.datatype.name} is sent, and"
                             f" {wanted.datatype.name} received; give both arrays one dtype")
        if given.bytes != wanted.bytes and given.count * given.datatype.size > wanted.bytes:
            raise failed("ERR_TRUNCATE", f"the send buffer has {given.bytes} bytes, the receive buffer {wanted.bytes}")
        dtype, datatype = getattr(given.array, "dtype", None), given.datatype
        if getattr(dtype, "kind", "?") in "fiu" and dtype.itemsize != datatype.size and datatype in by_code.values() and \
                op.name[-4:] not in ("BAND", "_BOR", "BXOR"):  # which combine the bits of bytes as those of numbers
            own, named = (one.name.replace("_", ".", 1) for one in (by_code[by_typestr[dtype.str]], datatype))
            warn(f"an array of {dtype} is combined as {named}, numbers of {datatype.size} bytes each",
                 f"Give {own} in place of {named}, or leave the type out.",
                 "MPI takes the bytes as they are, so that it combines other numbers than the array has.", dtype.kind != "f")
        return given, wanted

    def Allreduce(self, sendbuf, recvbuf, op=ops["SUM"], _background=False):
        given, wanted = self._pair(sendbuf, recvbuf, op)
        if sendbuf is IN_PLACE and op is ops["SUM"]:
            _lost.summed(recvbuf)
        _lost.averaged("Allreduce")
        if engine_reduces(op, given.datatype):
            return self._run("allreduce", given, wanted, op._native, 0, _background)
        self._only_blocking(_background, "Iallreduce", op, given)
        wanted.fill(self._folded(op, given, self._comm.size))
        return None

    def Iallreduce(self, sendbuf, recvbuf, op=ops["SUM"]):
        return self.Allreduce(sendbuf, recvbuf, op, True)

    def Reduce(self, sendbuf, recvbuf, op=ops["SUM"], root=0, _background=False):
        mine = self._root(root)
        if mine:
            given, wanted = self._pair(sendbuf, recvbuf, op)
        else:  # the algorithms reduce on the way to the root, in our own memory
            given = self._piece(sendbuf)
            wanted = self._copy(given)
            _lost.left_to_root("Reduce", recvbuf, root)
        _lost.averaged("Reduce")
        if engine_reduces(op, given.datatype):
            return self._run("reduce", given, wanted, op._native, root, _background)
        self._only_blocking(_background, "Ireduce", op, given)
        result = self._folded(op, given, self._comm.size)
        if mine:
            wanted.fill(result)
        return None

    def Ireduce(self, sendbuf, recvbuf, op=ops["SUM"], root=0):
        return self.Reduce(sendbuf, recvbuf, op, root, True)

    def _only_blocking(self, background, name, op, given):
        if background:
            raise missing(f"{name} with {op.name} on {given.datatype.name}", f"Use {name[1:].capitalize()}.")

    def _folded(self, op, given, ranks):
        """The reduction over the first ranks' data, in their order."""
        every = self._gathered(given.copy())[:ranks]
        result = every.pop() if every else b""
        while every:
            result = combine(op, given.datatype, every.pop(), result)
        return result

    def Scan(self, sendbuf, recvbuf, op=ops["SUM"]):
        given, wanted = self._pair(sendbuf, recvbuf, op)
        wanted.fill(self._folded(op, given, self._comm.rank + 1))

    def Exscan(self, sendbuf, recvbuf, op=ops["SUM"]):
        given, wanted = self._pair(sendbuf, recvbuf, op)
        result = self._folded(op, given, self._comm.rank)
        if self._comm.rank:
            wanted.fill(result)

    def _own_block(self, whole, write=False):
        size = whole.count * whole.datatype.size
        data = bytearray(whole.copy()[self._comm.rank * size:(self._comm.rank + 1) * size])
        block = piece([data, whole.count, whole.datatype] if data else None, False, write)
        block.array = whole.array
        return data, block

    def Gather(self, sendbuf, recvbuf, root=0, _background=False):
        mine = self._root(root)
        wanted = self._piece(recvbuf, True, self._comm.size) if mine else _lost.left_to_root("Gather", recvbuf, root)
        given = self._own_block(wanted)[1] if sendbuf is IN_PLACE else self._piece(sendbuf)
        self._fits(given, wanted)
        return self._run("gather", given, wanted, 0, root, _background)

    def Igather(self, sendbuf, recvbuf, root=0):
        return self.Gather(sendbuf, recvbuf, root, True)

    def Scatter(self, sendbuf, recvbuf, root=0, _background=False):
        mine = self._root(root)
        given = self._piece(sendbuf, False, self._comm.size) if mine else None
        wanted = self._own_block(given, True)[1] if recvbuf is IN_PLACE else self._piece(recvbuf, True)
        self._fits(wanted, given, True)
        return self._run("scatter", given, wanted, 0, root, _background)

    def Iscatter(self, sendbuf, recvbuf, root=0):
        return self.Scatter(sendbuf, recvbuf, root, True)

    def Allgather(self, sendbuf, recvbuf, _background=False):
        wanted = self._piece(recvbuf, True, self._comm.size)
        given = self._own_block(wanted)[1] if sendbuf is IN_PLACE else self._piece(sendbuf)
        self._fits(given, wanted)
        return self._run("allgather", given, wanted, 0, 0, _background)

    def Iallgather(self, sendbuf, recvbuf):
        return self.Allgather(sendbuf, recvbuf, True)

    def Alltoall(self, sendbuf, recvbuf, _background=False):
        wanted = self._piece(recvbuf, True, self._comm.size)
        given = self._copy(wanted) if sendbuf is IN_PLACE else self._piece(sendbuf, False, self._comm.size)
        if given.bytes != wanted.bytes:
            raise failed("ERR_TRUNCATE", f"the send buffer has {given.bytes} bytes, the receive buffer {wanted.bytes}")
        return self._run("alltoall", given, wanted, 0, 0, _background)

    def Ialltoall(self, sendbuf, recvbuf):
        return self.Alltoall(sendbuf, recvbuf, True)

    def _copy(self, whole):
        data = bytearray(whole.copy())
        copy = piece([data, whole.count * whole.blocks, whole.datatype] if data else None, False)
        copy.array = whole.array
        return copy

    def _fits(self, block, whole, scattered=False):
        if whole is None:
            return
        if block.bytes == whole.count * whole.datatype.size:
            return _warn_of_kinds(block, whole)
        room, types = whole.count * whole.datatype.size, (block.datatype.name, whole.datatype.name)
        if scattered and block.bytes > room and types[0] == types[1]:  # a library lets it pass
            _cut_to(block, room)
            warn(f"Scatter gives each rank {whole.count} elements, and the receive buffer has room for {block.count}",
                 f"Receive into an array of {whole.count} elements.",
                 "MPI asks for equal counts; a library may leave other ranks' numbers behind a rank's own.", True)
            return
        longer = block.bytes > room and not scattered
        raise failed("ERR_TRUNCATE" if longer else "ERR_COUNT",
                     (f"a rank's part has {room} bytes, but the buffer that receives it has {block.bytes}" if scattered
                      else f"a rank's part has {block.bytes} bytes, but the other buffer has {room} for each of"
                           f" {self._comm.size} ranks")
                     + (": their types differ, %s and %s" % types if types[0] != types[1] else
                        "" if longer else
                        ". MPI asks for equal counts; where a library lets it pass, the parts stand apart with gaps"
                        " between them. Give a slice of the larger buffer, or a larger part"))

    def Reduce_scatter_block(self, sendbuf, recvbuf, op=ops["SUM"]):
        wanted = self._piece(recvbuf, True)
        whole = self._piece(recvbuf if sendbuf is IN_PLACE else sendbuf, False, self._comm.size)
        if engine_reduces(op, whole.datatype) and sendbuf is not IN_PLACE:
            self._fits(wanted, whole)
            self._run("reduce_scatter", whole, wanted, op._native)
            return
        result = self._folded(op, whole, self._comm.size)
        size = whole.count * whole.datatype.size
        wanted.fill(result[self._comm.rank * size:(self._comm.rank + 1) * size])

    def Reduce_scatter(self, sendbuf, recvbuf, recvcounts=None, op=ops["SUM"]):
        wanted = self._piece(recvbuf, True)
        counts = [n for n, in self._sizes(wanted.count)] if recvcounts is None else [int(c) for c in recvcounts]
        given = self._piece(recvbuf if sendbuf is IN_PLACE else sendbuf)
        result, size = self._folded(op, given, self._comm.size), given.datatype.size
        first = sum(counts[:self._comm.rank]) * size
        wanted.fill(result[first:first + counts[self._comm.rank] * size])

    # ---- parts of different sizes: padded to the largest ----

    def Gatherv(self, sendbuf, recvbuf, root=0):
        mine = self._root(root)
        wanted = parts(recvbuf, False, True, self._comm.size).apart() if mine else None
        data = wanted.copy(root) if sendbuf is IN_PLACE else self._piece(sendbuf).copy()
        every = self._exchanged(data, "gather", root)
        for rank, got in enumerate(every or ()):
            wanted.fill(rank, got)

    def Allgatherv(self, sendbuf, recvbuf):
        wanted = parts(recvbuf, False, True, self._comm.size).apart()
        data = wanted.copy(self._comm.rank) if sendbuf is IN_PLACE else self._piece(sendbuf).copy()
        for rank, got in enumerate(self._exchanged(data, "allgather", 0)):
            wanted.fill(rank, got)

    def Scatterv(self, sendbuf, recvbuf, root=0):
        given = parts(sendbuf, False, False, self._comm.size) if self._root(root) else None
        got = self._scattered([given.copy(r) for r in range(self._comm.size)] if given else None, root)
        if recvbuf is not IN_PLACE:
            self._piece(recvbuf, True).fill(got)

    def Alltoallv(self, sendbuf, recvbuf):
        wanted = parts(recvbuf, False, True, self._comm.size).apart()
        given = wanted if sendbuf is IN_PLACE else parts(sendbuf, False, False, self._comm.size)
        for rank, got in enumerate(self._all_exchanged([given.copy(r) for r in range(self._comm.size)])):
            wanted.fill(rank, got)

    def _exchanged(self, data, name, root):
        """All ranks' bytes, of any lengths; with gather, on the root only."""
        sizes = [n for n, in self._sizes(len(data))]
        largest = max(sizes)
        _, given = _new(largest)
        given.fill(data)
        here = name == "allgather" or root == self._comm.rank
        whole, wanted = _new(largest * self._comm.size) if here else (None, None)
        self._run(name, given, wanted, 0, root)
        return [bytes(whole[r * largest:r * largest + n]) for r, n in enumerate(sizes)] if here else None

    def _scattered(self, datas, root):
        sizes = self._broadcast([len(d) for d in datas] if datas is not None else None, root)
        largest = max(sizes)
        given = None
        if datas is not None:
            _, given = _new(largest * self._comm.size)
            given.fill(b"".join(d.ljust(largest, b"\0") for d in datas))
        mine, wanted = _new(largest)
        self._run("scatter", given, wanted, 0, root)
        return bytes(mine[:sizes[self._comm.rank]])

    def _all_exchanged(self, datas):
        table = self._sizes(*[len(d) for d in datas])
        largest = max(max(row) for row in table)
        _, given = _new(largest * self._comm.size)
        given.fill(b"".join(d.ljust(largest, b"\0") for d in datas))
        whole, wanted = _new(largest * self._comm.size)
        self._run("alltoall", given, wanted)
        return [bytes(whole[r * largest:r * largest + table[r][self._comm.rank]]) for r in range(self._comm.size)]

    # ---- objects ----

    def _broadcast(self, obj, root):
        data = pickle.dumps(obj, protocol=5) if root == self._comm.rank else b""
        length, number = _new(1, _kLong)
        number.fill(len(data).to_bytes(8, "little"))
        self._run("broadcast", number if data else None, number, 0, root)
        whole, wanted = _new(int.from_bytes(length, "little"))
        wanted.fill(data)
        self._run("broadcast", wanted if data else None, wanted, 0, root)
        return obj if data else pickle.loads(whole)

    def bcast(self, obj, root=0):
        mine = self._root(root)
        got = self._broadcast(obj, root)
        if not mine:
            _lost.returned("bcast", got, obj, root)
        return got

    def gather(self, sendobj, root=0):
        self._root(root)
        got = self._gather(sendobj, root)
        _lost.returned("gather", got, sendobj, root)
        return got

    def _gather(self, sendobj, root, name="gather"):
        every = self._exchanged(pickle.dumps(sendobj, protocol=5), name, root)
        return None if every is None else [pickle.loads(data) for data in every]

    def allgather(self, sendobj):
        got = self._gather(sendobj, 0, "allgather")
        _lost.returned("allgather", got, sendobj)
        return got

    def scatter(self, sendobj, root=0):
        datas = None
        if self._root(root):
            datas = [pickle.dumps(obj, protocol=5) for obj in self._one_for_each(sendobj)]
        got = pickle.loads(self._scattered(datas, root))
        _lost.returned("scatter", got, sendobj)
        return got

    def alltoall(self, sendobj):
        datas = [pickle.dumps(obj, protocol=5) for obj in self._one_for_each(sendobj)]
        got = [pickle.loads(data) for data in self._all_exchanged(datas)]
        _lost.returned("alltoall", got, sendobj)
        return got

    def _one_for_each(self, objects):
        objects = list(objects)
        if len(objects) != self._comm.size:
            raise ValueError(f"expecting {self._comm.size} items, got {len(objects)}: one for each rank; give a list of as"
                             f" many items as ranks, or start the program with -n {len(objects)}")
        return objects

    def reduce(self, sendobj, op=ops["SUM"], root=0):
        self._root(root)
        return self._reduced("reduce", op, self._gather(sendobj, root), sendobj, root)

    def allreduce(self, sendobj, op=ops["SUM"]):
        return self._reduced("allreduce", op, self._gather(sendobj, 0, "allgather"), sendobj)

    def scan(self, sendobj, op=ops["SUM"]):
        return self._reduced("scan", op, self._gather(sendobj, 0, "allgather")[:self._comm.rank + 1], sendobj)

    def exscan(self, sendobj, op=ops["SUM"]):
        return self._reduced("exscan", op, self._gather(sendobj, 0, "allgather")[:self._comm.rank], sendobj)

    def _reduced(self, verb, op, objects, given, root=0):
        _lost.averaged(verb)
        if not objects:
            if objects is None:
                _lost.returned(verb, None, given, root)
            return None
        result = objects[0]
        for other in objects[1:]:
            result = op(result, other)
        _lost.returned(verb, result, given)
        return result
