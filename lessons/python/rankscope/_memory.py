"""Describes torch tensors, NumPy arrays and other buffers as `Memory`, without copying.

A message may be a part of an array (a slice, a view, a chunk). When the run records contents, the memory names the
whole array as well, so that the views can show the part in its place. A description is kept: the same tensor is
mostly sent many times.
"""
import ctypes
import math
import sys

from . import _native, _places
from ._native import Memory

_MOST = 4096
_known = {}  # the identity of a piece of memory -> (its description, the objects that keep its texts alive)

_BY_TYPE_STRING = {"|u1": _native.UINT8, "<i4": _native.INT32, "<i8": _native.INT64, "<f4": _native.FLOAT32,
                   "<f8": _native.FLOAT64}
_tensor_types = {}


def _known_tensor_types():
    torch = sys.modules["torch"]
    _tensor_types.update({torch.uint8: _native.UINT8, torch.int32: _native.INT32, torch.int64: _native.INT64,
                          torch.float32: _native.FLOAT32, torch.float64: _native.FLOAT64})
    return _tensor_types


def forget():
    """Forgets all descriptions, which belong to a process and its run."""
    _known.clear()


def is_tensor(thing):
    return isinstance(thing, getattr(sys.modules.get("torch"), "Tensor", ()))  # which torch lacks while it is loaded


def describe(thing, full, write=False):
    """The `Memory` of a contiguous buffer, and the object that must live as long as it is used."""
    if is_tensor(thing):
        return of_tensor(thing, full), thing
    interface = own_array(thing)
    if interface is not None:
        memory = of_own_array(thing, interface, full, write)
        if memory is not None:
            return memory, thing
    interface = getattr(thing, "__array_interface__", None)
    if interface is not None:
        return _of_interface(thing, interface, full, write), thing
    return _of_buffer(thing, write)


def _elements(address, dtype, count, item_size):
    """The `Memory` of `count` elements; those of a type that the engine lacks (None) are bytes."""
    memory = Memory()
    memory.dtype = _native.UINT8 if dtype is None else dtype
    memory.count = count * item_size if dtype is None else count
    memory.data = memory.array = address if memory.count else None
    return memory


def is_contiguous(thing):
    if is_tensor(thing):
        return thing.is_contiguous()
    interface = getattr(thing, "__array_interface__", None)
    if interface is not None:
        return interface.get("strides") is None
    try:
        return memoryview(thing).c_contiguous
    except TypeError:
        return True  # an object that is no buffer is refused when it is described


# ---- torch ----

def of_tensor(tensor, full):
    """The memory of a contiguous CPU tensor; types that the engine lacks travel as bytes."""
    shape = tensor.shape
    if not full:
        key = (tensor.data_ptr(), shape, tensor.dtype)
        return _known.get(key) or _keep(key, _plain_tensor(tensor))
    storage = _storage(tensor)
    key = (tensor.data_ptr(), shape, tensor.dtype, storage.data_ptr(), storage.nbytes())
    return _known.get(key) or _keep(key, _tensor_in_array(tensor, storage))


def _storage(tensor):
    untyped = getattr(tensor, "untyped_storage", None)
    return untyped() if untyped is not None else tensor._storage()


def _keep(key, memory):
    if len(_known) >= _MOST:
        _known.clear()
    _known[key] = memory
    return memory


def _check_tensor(tensor):
    if tensor.is_sparse or tensor.layout is not sys.modules["torch"].strided:
        raise _native.UsageError("A sparse tensor has no contiguous memory. Send tensor.to_dense() instead.")
    if not tensor.device.type == "cpu":
        raise _native.UsageError("The tensor is on %s; rankscope moves CPU tensors only. Use tensor.cpu()."
                                 % tensor.device)


def _plain_tensor(tensor):
    _check_tensor(tensor)
    dtype = (_tensor_types or _known_tensor_types()).get(tensor.dtype)
    return _elements(tensor.data_ptr(), dtype, tensor.numel(), tensor.element_size())


def _tensor_in_array(tensor, storage):
    memory = _plain_tensor(tensor)
    if not memory.count:
        return memory
    total = storage.nbytes() // tensor.element_size()
    as_bytes = tensor.dtype not in _tensor_types
    shape = [storage.nbytes()] if as_bytes else _array_shape(tensor, total)
    _set_array(memory, storage.data_ptr(), shape)
    # A variable with the whole array names it better than one with a part.
    memory.name = _name_in_frames(lambda value: _lies_in(value, memory.array) and value.numel() == total) or \
        _name_in_frames(lambda value: _lies_in(value, memory.array))
    return memory


def _array_shape(tensor, total):
    """The shape of the whole storage, as the tensor or its base has it, else one row."""
    for whole in (tensor, tensor._base):
        if whole is not None and whole.numel() == total and whole.is_contiguous() and \
                whole.dtype == tensor.dtype and 0 < whole.dim() <= _native.DIMS:
            return list(whole.shape)
    return [total]


def _lies_in(value, array):
    return is_tensor(value) and value.layout is sys.modules["torch"].strided and \
        _storage(value).data_ptr() == array


# ---- NumPy and others with its interface ----

def is_plain_array(thing):
    numpy = sys.modules.get("numpy")
    return numpy is not None and type(thing) is numpy.ndarray


def shape_of(thing):
    """The shape of an array or a tensor; () for other things."""
    return tuple(thing.shape) if is_tensor(thing) or is_plain_array(thing) else ()


def span(thing):
    """(address, bytes, strides) of a tensor or an array."""
    if is_tensor(thing):
        return thing.data_ptr(), thing.numel() * thing.element_size(), tuple(thing.stride())
    if is_plain_array(thing):
        return thing.__array_interface__["data"][0], thing.nbytes, thing.strides
    return None


def are_apart(one, other):
    """Returns whether two tensors, or two arrays, have no memory in common."""
    if is_tensor(one) and is_tensor(other):
        return _storage(one).data_ptr() != _storage(other).data_ptr()
    return is_plain_array(one) and is_plain_array(other) and not sys.modules["numpy"].may_share_memory(one, other)


def own_array(thing):
    """The interface of a contiguous NumPy array that owns its memory, asked for once: NumPy makes a new one each time,
    which takes as long as the rest of a small message. None of anything else."""
    numpy = sys.modules.get("numpy")
    if numpy is None or type(thing) is not numpy.ndarray or thing.base is not None:
        return None
    interface = thing.__array_interface__
    return interface if interface["strides"] is None else None


def of_own_array(thing, interface, full, write):
    """The memory of an array with this interface; None where it needs the slow path."""
    address, read_only = interface["data"]
    if write and read_only:
        return None
    shape, type_string = interface["shape"], interface["typestr"]
    known = _known.get((address, shape, type_string, address, shape) if full else (address, shape, type_string))
    return known if known is not None or type_string.startswith("|O") else _of_interface(thing, interface, full, write)


def _of_interface(thing, interface, full, write):
    address, read_only = interface["data"]
    shape = tuple(interface["shape"])
    type_string = interface["typestr"]
    if interface.get("strides") is not None:
        raise _native.UsageError("The array has to be contiguous; use its .copy().")
    if write and read_only:
        raise _native.UsageError("The array is read-only; receive into a copy of it.")
    if type_string.startswith("|O"):
        raise _native.UsageError("An array of Python objects has no plain memory. Use send_object and recv_object.")
    if not full:
        key = (address, shape, type_string)
        return _known.get(key) or _keep(key, _plain_array(address, shape, type_string))
    root = _root_array(thing)
    outer = root.__array_interface__
    key = (address, shape, type_string, outer["data"][0], tuple(outer["shape"]))
    return _known.get(key) or _keep(key, _array_in_array(address, shape, type_string, outer))


def _root_array(array):
    """The array that owns the memory, as long as it is contiguous and of the same type."""
    root = array
    base = getattr(root, "base", None)
    while base is not None and hasattr(base, "__array_interface__"):
        interface = base.__array_interface__
        if interface.get("strides") is not None or interface["typestr"] != array.__array_interface__["typestr"]:
            break
        root = base
        base = getattr(root, "base", None)
    return root


def _plain_array(address, shape, type_string):
    return _elements(address, _BY_TYPE_STRING.get(type_string), math.prod(shape), _item_size(type_string))


def _item_size(type_string):
    """The size in bytes of a type in NumPy's notation: "<f8", "<M8[ns]", "<U5" (five characters of four bytes)."""
    number = int(type_string[2:].partition("[")[0])
    return number * 4 if type_string[1] == "U" else number


def _array_in_array(address, shape, type_string, outer):
    memory = _plain_array(address, shape, type_string)
    if not memory.count:
        return memory
    extents = [int(extent) for extent in outer["shape"]] or [1]
    if type_string not in _BY_TYPE_STRING:
        extents.append(_item_size(type_string))
    _set_array(memory, outer["data"][0], extents)
    memory.name = _name_in_frames(lambda value: _starts_at(value, memory.array))
    return memory


def _starts_at(value, address):
    return type(value).__module__ == "numpy" and hasattr(value, "__array_interface__") and \
        value.__array_interface__["data"][0] == address


def _set_array(memory, address, shape):
    if len(shape) > _native.DIMS:
        shape = [math.prod(shape)]
    memory.array = address
    memory.dims = len(shape)
    memory.shape[:len(shape)] = shape


# ---- other buffers ----

_FORMATS = {"B": _native.UINT8, "b": _native.UINT8, "c": _native.UINT8, "i": _native.INT32, "f": _native.FLOAT32,
            "d": _native.FLOAT64, "q": _native.INT64, "l": _native.INT64}


def _of_buffer(thing, write):
    try:
        view = memoryview(thing)
    except TypeError:
        raise _native.UsageError(
            "A %s is no buffer. Give a tensor, a NumPy array, a bytearray or an array.array; for other objects there "
            "are send_object and recv_object." % type(thing).__name__) from None
    if not view.c_contiguous:
        raise _native.UsageError("The buffer has to be contiguous; use bytes() of it.")
    if write and view.readonly:
        raise _native.UsageError("A %s cannot be written to; receive into a bytearray." % type(thing).__name__)
    dtype = _FORMATS.get(view.format)
    if dtype is not None and _native.ITEM_SIZES[dtype] != view.itemsize:
        dtype = None
    if not view.nbytes:
        return _elements(None, dtype, 0, 1), thing
    if view.readonly:
        keep = ctypes.create_string_buffer(view.tobytes(), view.nbytes)
    else:
        keep = (ctypes.c_char * view.nbytes).from_buffer(view)
    return _elements(ctypes.addressof(keep), dtype, view.nbytes // view.itemsize, view.itemsize), keep


# ---- names ----

def _name_in_frames(is_it):
    """The name of an array in the user's program, searched in the calling functions, innermost first."""
    for frame in _places.user_frames():
        names = frame.f_locals
        for name, value in list(names.items()):
            if not name.startswith("_") and _matches(value, is_it):
                return name.encode("utf-8", "replace")
        for name, value in list(names.items()):
            if not name.startswith("_"):
                found = _name_inside(name, value, is_it)
                if found:
                    return found.encode("utf-8", "replace")
    return None


def _name_inside(name, value, is_it):
    """The name of an element of a list ("chunks[2]") or a member of an object ("self.buffer")."""
    if isinstance(value, (list, tuple)):
        for index, element in enumerate(value[:64]):
            if _matches(element, is_it):
                return "%s[%d]" % (name, index)
    elif isinstance(value, dict):
        for key, element in list(value.items())[:64]:
            if _matches(element, is_it):
                return "%s[%r]" % (name, key)
    elif name == "self":
        for member, element in list(getattr(value, "__dict__", {}).items())[:64]:
            if _matches(element, is_it):
                return "self." + member
    return None


def _matches(value, is_it):
    try:
        return bool(is_it(value))
    except Exception:  # no variable of the program may stop its message
        return False
