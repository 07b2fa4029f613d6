"""Buffers as programs write them (array, [array, count], [array, type], [array, count, type], [array, (counts, displs),
type] ...), as memory that rankscope sends from and receives into without a copy."""

import ctypes
import sys

from rankscope import _memory, _native, _notes, _places
from rankscope._notes import warn

from ._errors import failed
from ._types import Datatype, by_code, by_typestr, datatype_of


class _Special(int):
    def __new__(cls, name, value):
        special = super().__new__(cls, value)
        special.name = name
        return special

    def __repr__(self):
        return self.name


IN_PLACE = _Special("MPI.IN_PLACE", -1)
BOTTOM = _Special("MPI.BOTTOM", 0)

_kTorch = {"uint8": "B", "int8": "b", "int16": "h", "int32": "i", "int64": "l", "float16": "e", "float32": "f",
           "float64": "d", "complex64": "F", "complex128": "D", "bool": "?"}


class Piece:
    """Elements in memory. `count` is that of one block; there are `blocks` of them, one after another."""

    __slots__ = ("memory", "keep", "count", "blocks", "datatype", "array")

    def __init__(self, memory, keep, count, blocks, datatype, array=None):
        self.memory, self.keep, self.count, self.blocks, self.datatype = memory, keep, count, blocks, datatype
        self.array = array  # the program's own

    @property
    def order(self):
        return _order(self.array)

    @property
    def bytes(self):
        return self.count * self.blocks * self.datatype.size

    @property
    def address(self):
        return self.memory.data or 0

    def copy(self):
        """A copy as bytes."""
        return ctypes.string_at(self.address, self.bytes) if self.bytes else b""

    def fill(self, data):
        if len(data) > self.bytes:
            raise failed("ERR_TRUNCATE", f"{len(data)} bytes do not fit into {self.bytes}")
        if len(data):
            ctypes.memmove(self.address, bytes(data), len(data))


class Parts:
    """A buffer of the v-forms, with a count and a displacement in elements for each rank."""

    __slots__ = ("memory", "keep", "counts", "displs", "datatype")

    def __init__(self, memory, keep, counts, displs, datatype):
        self.memory, self.keep, self.counts, self.displs, self.datatype = memory, keep, counts, displs, datatype

    def apart(self):
        """Itself, after a remark on parts that are received into one place."""
        begins = sorted((displ, displ + count, rank) for rank, (count, displ) in enumerate(zip(self.counts, self.displs)) if count)
        for (_, end, one), (begin, _, other) in zip(begins, begins[1:]):
            if begin < end:
                right = [sum(self.counts[:rank]) for rank in range(len(self.counts))]
                _notes.remark(_places.innermost() or ("", 0), "the parts of ranks {} and {} are received into one place: ".format(
                                  *sorted((one, other))) + f"element {begin} of the buffer belongs to both",
                              "One rank's data overwrites the other's; MPI forbids it.",
                              f"Give each part a place of its own: displacements {right} for the counts {self.counts}.")
                break
        return self

    def copy(self, rank):
        size = self.datatype.size
        return ctypes.string_at(self.memory.data + self.displs[rank] * size, self.counts[rank] * size) \
            if self.counts[rank] else b""

    def fill(self, rank, data):
        size = self.datatype.size
        if len(data) > self.counts[rank] * size:
            raise failed("ERR_TRUNCATE", f"{len(data)} bytes from rank {rank} do not fit into {self.counts[rank]}"
                                         f" elements of {size} bytes")
        if len(data):
            ctypes.memmove(self.memory.data + self.displs[rank] * size, bytes(data), len(data))


def _whole(thing, full, write):
    """(Memory, what keeps it, bytes, Datatype) of a whole buffer."""
    interface = _memory.own_array(thing)
    if interface is not None:
        memory = _memory.of_own_array(thing, interface, full, write)
        if memory is not None:
            code = by_typestr.get(interface["typestr"])
            if code is not None:
                return memory, (memory, thing), memory.count * _native.ITEM_SIZES[memory.dtype], by_code[code]
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(thing, numpy.generic):  # a message may carry a copy of such a number
        if write:
            raise BufferError(f"a {type(thing).__name__} is read-only: receive into an array (numpy.zeros(1))")
        thing = numpy.array(thing)
    if isinstance(thing, (list, dict, str, int, float)) or thing is BOTTOM:
        raise TypeError(f"a {type(thing).__name__} is no buffer; give an array (numpy.array(...)), or use the"
                        " lower-case function (send, recv, bcast ...), which takes any object")
    if _memory.is_tensor(thing):
        if not thing.is_contiguous():
            raise BufferError("the tensor is not contiguous; use .contiguous(), and copy it back where it is a result")
        code = _kTorch.get(str(thing.dtype).replace("torch.", ""), "B")
    elif hasattr(thing, "__array_interface__"):
        thing = _forward(thing)
        typestr = thing.__array_interface__["typestr"]
        if write and thing.__array_interface__["data"][1]:
            raise BufferError("the array is read-only: receive into a copy of it")
        code = by_typestr.get(typestr)
        if code is None:
            raise KeyError(f"there is no MPI datatype for arrays of {typestr}; use .astype(...) or the lower-case"
                           " function")
    else:
        code = _code_of_view(thing, write)
    memory, keep = _memory.describe(thing, full, write)
    return memory, (memory, keep, thing), memory.count * _native.ITEM_SIZES[memory.dtype], by_code[code]


def _forward(array):
    """Arrays in Fortran's order are contiguous, too."""
    if array.__array_interface__.get("strides") is None:
        return array
    flags = getattr(array, "flags", None)
    if flags is not None and flags.f_contiguous:
        return array.T
    raise BufferError("ndarray is not contiguous; use numpy.ascontiguousarray(x), and copy it back where it is a"
                     " result")


def _order(array):
    """"view" of a transposed view of an array in C's order, "own" of another array in Fortran's order, else None."""
    flags = getattr(array, "flags", None)
    if not getattr(flags, "f_contiguous", False) or flags.c_contiguous:
        return None
    base = getattr(getattr(array, "base", None), "flags", None)
    return "view" if getattr(base, "c_contiguous", False) else "own"


def warn_of_order(given, wanted=None):
    """Warns if one side's array is in Fortran's order and the other's in C's; another rank's array is assumed to be in C's."""
    if given is None or (given.order != "view" if wanted is None else (given.order is None) == (wanted.order is None)):
        return
    which = "sent" if given.order else "received into"
    mixed = wanted is not None and _mixes_up(given.array, wanted.array)
    warn(f"the array that is {which} is in Fortran's order, as a.T is: MPI moves memory as it lies, so that rows and"
          " columns are mixed up in an array in C's order",
          "Send numpy.ascontiguousarray(a), or receive into such an array, too." if given.order else
          "Receive into a C-ordered array, and transpose that.",
          "The two arrays have rows of one length, and the numbers are not where their indices say." if mixed else
          "The receiver has the numbers in the order in which they lie in the sender's memory." if wanted is None else None,
          not mixed)


def _mixes_up(given, wanted):
    """Returns whether an array is put into another one by its rows, though one of the two lies in memory by columns."""
    if getattr(given, "ndim", 0) < 2 or getattr(wanted, "ndim", 0) < 2:
        return False
    rows, columns = given.shape[1:], given.shape[::-1][1:]
    as_rows = wanted.shape[-len(rows):] == rows and wanted.shape[-len(columns):] != columns
    return as_rows and bool((given.ravel("K") != given.ravel("C")).any())


def warn_of_one_memory(given, wanted):
    """Warns of a Sendrecv whose two arrays share memory."""
    begins, ends = [], []
    for spec in (given, wanted):
        array = spec[0] if isinstance(spec, (list, tuple)) and len(spec) == 2 and isinstance(spec[1], Datatype) else spec
        interface = getattr(array, "__array_interface__", None)
        if interface is None:
            return
        begins.append(interface["data"][0])
        ends.append(begins[-1] + array.nbytes)
    if max(begins) < min(ends):
        warn("Sendrecv: both buffers are in one memory, which MPI forbids: what comes may be sent in place of what was"
              " there", "A buffer that was kept from an earlier receive (parts[i] = buffer) needs a copy"
              " (buffer.copy()); to replace what is sent there is Sendrecv_replace.")


def _code_of_view(thing, write):
    try:
        view = memoryview(thing)
    except TypeError:
        raise TypeError(f"a {type(thing).__name__} is no buffer; give an array, or use the lower-case function") \
            from None
    if write and view.readonly:
        raise BufferError(f"a {type(thing).__name__} is read-only: receive into a bytearray or an array")
    code = view.format.lstrip("<=@")
    return code if code in by_code else "B"


def _cut(memory, offset, count, datatype):
    """The memory of `count` elements behind `offset` bytes."""
    native = datatype._native
    amount = count * datatype._elements if native is not None else count * datatype.size
    dtype = _native.UINT8 if native is None else native
    if not offset and memory.dtype == dtype and memory.count == amount:
        return memory
    cut = _native.Memory.from_buffer_copy(memory)
    cut.data = (memory.data or 0) + offset if amount else None
    cut.count = amount
    if cut.dtype != dtype:
        cut.dtype, cut.dims, cut.array = dtype, 0, cut.data
    return cut


def _split_spec(spec):
    """(buffer, count or None, displacement, datatype or None)."""
    if not isinstance(spec, (list, tuple)) or isinstance(spec, _Special):
        return spec, None, 0, None
    parts = list(spec)
    if len(parts) > 1 and all(getattr(one, "shape", None) for one in parts):
        raise TypeError(f"a {type(spec).__name__} of {len(parts)} arrays is no buffer; give one array (numpy.concatenate(...)), or"
                        " use the lower-case function, which takes any object and returns its result")
    if not 1 <= len(parts) <= 4:
        raise ValueError("message: expecting 1 to 4 items: [buffer], [buffer, count], [buffer, type], [buffer, count,"
                         " type] or [buffer, count, displacement, type]")
    datatype = None
    if len(parts) > 1 and isinstance(parts[-1], (Datatype, str)):
        datatype = datatype_of(parts.pop())
    buffer = parts[0]
    count, displ = None, 0
    if len(parts) == 2:
        count = parts[1]
        if isinstance(count, (tuple, list)):
            count, displ = (list(count) + [0])[:2]
    elif len(parts) > 2:
        count, displ = parts[1:3]
    return buffer, count, displ or 0, datatype


def piece(spec, full, write=False, blocks=1):
    """A buffer of `blocks` blocks. None is a buffer without elements."""
    buffer, count, displ, datatype = _split_spec(spec)
    if buffer is None:
        return Piece(_native.Memory(), None, 0, blocks, datatype or by_code["B"])
    memory, keep, size, own = _whole(buffer, full, write)
    datatype = datatype or own
    offset = displ * datatype.size
    if count is None:
        left = size - offset
        if left < 0 or left % datatype.size:
            raise ValueError(f"message: buffer length {size} is not multiple of datatype size {datatype.size}")
        count = left // datatype.size
        if count % blocks:
            raise ValueError(f"message: {count} elements cannot be divided among {blocks} ranks")
        count //= blocks
    elif datatype.size < own.size and count * blocks * own.size == size:
        warn(f"{count * blocks} elements of {own.size} bytes, but {datatype.name} counts elements of {datatype.size}:"
              f" {count * blocks * datatype.size} of the {size} bytes are meant",
              f"Leave count and type out, or give {own.name}.",
              "The count is the number of the array's elements, so the rest of the array is not sent.")
    count = int(count)
    if count < 0:
        raise failed("ERR_COUNT", str(count))
    if offset + count * blocks * datatype.size > size:
        raise ValueError(f"message: buffer too small for requested count: {count * blocks} elements of"
                         f" {datatype.size} bytes do not fit into {size - offset} bytes")
    return Piece(_cut(memory, offset, count * blocks, datatype), keep, count, blocks, datatype, buffer)


def parts(spec, full, write, ranks):
    """A buffer of the v-forms."""
    buffer, counts, displs, datatype = _split_v(spec)
    memory, keep, size, own = _whole(buffer, full, write)
    datatype = datatype or own
    total = size // datatype.size
    if counts is None:
        counts = [total // ranks + (1 if r < total % ranks else 0) for r in range(ranks)]
    counts = [int(counts)] * ranks if isinstance(counts, int) else [int(c) for c in counts]
    if displs is None:
        displs = [sum(counts[:r]) for r in range(ranks)]
    displs = [int(d) for d in displs]
    if len(counts) != ranks or len(displs) != ranks:
        raise ValueError(f"message: there are {ranks} ranks, but {len(counts)} counts and {len(displs)} displacements")
    for rank, (count, displ) in enumerate(zip(counts, displs)):
        if count < 0 or displ < 0 or displ + count > total:
            raise ValueError(f"message: {count} elements at {displ} for rank {rank} do not lie in a buffer of {total}")
    return Parts(memory, keep, counts, displs, datatype)


def _split_v(spec):
    if not isinstance(spec, (list, tuple)):
        return spec, None, None, None
    items = list(spec)
    datatype = datatype_of(items.pop()) if len(items) > 1 and isinstance(items[-1], (Datatype, str)) else None
    buffer, counts, displs = items[0], None, None
    if len(items) == 2:
        counts = items[1]
        if isinstance(counts, tuple) and len(counts) == 2 and not isinstance(counts[0], int):
            counts, displs = counts
    elif len(items) == 3:
        counts, displs = items[1:]
    return buffer, counts, displs, datatype
