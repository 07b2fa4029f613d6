"""Carries values between the processes of the stand-in.

A value is pickled (protocol 5); tensors and arrays go beside the pickle, without a copy. Small ones travel in the
message. Large ones are written once into memory without a name (memfd), which every receiver maps privately: it gets
its own writable copy, page by page and only of what it writes. Such memory vanishes with its last process, so nothing
is left behind, whatever happens to the driver."""

import ctypes
import mmap
import os
import pickle
import sys
import tempfile
from io import BytesIO

from . import _functions, exceptions

kInline = 32 * 1024  # bytes; smaller values travel in the message
_kAlign = 64


class Payload:
    """A pickled value. `fd` is its memory, or None when `parts` holds the buffers."""

    __slots__ = ("head", "sizes", "parts", "fd", "error")

    def __init__(self, head, sizes, parts, fd, error=False):
        self.head, self.sizes, self.parts, self.fd, self.error = head, sizes, parts, fd, error

    def to_wire(self, fds):
        """A tuple for a message; the descriptor is appended to `fds`, which travel beside it."""
        slot = None
        if self.fd is not None:
            slot = len(fds)
            fds.append(self.fd)
        return (self.head, self.sizes, self.parts, slot, self.error)

    @classmethod
    def from_wire(cls, wire, fds):
        head, sizes, parts, slot, error = wire
        return cls(head, sizes, parts, None if slot is None else fds[slot], error)

    def copy(self):
        return Payload(self.head, self.sizes, self.parts, None if self.fd is None else os.dup(self.fd), self.error)

    def close(self):
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None

    def load(self, unpickler=pickle.Unpickler):
        """The value of a payload, which stays unchanged and may be loaded again."""
        if self.fd is None:
            return unpickler(BytesIO(self.head), buffers=[bytearray(part) for part in self.parts]).load()
        size = _end(self.sizes)
        memory = memoryview(mmap.mmap(self.fd, size, flags=mmap.MAP_PRIVATE,
                                      prot=mmap.PROT_READ | mmap.PROT_WRITE))
        buffers, at = [], 0
        for size in self.sizes:
            buffers.append(memory[at:at + size])
            at += _padded(size)
        return unpickler(BytesIO(self.head), buffers=buffers).load()

    def value(self):
        """The value of a payload; an error is raised, also as an instance of its cause's class."""
        value = self.load()
        if not self.error:
            return value
        if isinstance(value, exceptions.RayTaskError):
            value = value.as_instanceof_cause()
        raise value from None


def dump(value, error=False):
    """A payload of `value`; `refs` in it (see ObjectRef) are pinned by their own __reduce__."""
    buffers = []
    file = BytesIO()
    pickler = _Pickler(file, protocol=5, buffer_callback=lambda b: buffers.append(b.raw()))
    pickler.dump(value)
    sizes = [len(b) for b in buffers]
    if sum(sizes) <= kInline:
        return Payload(file.getvalue(), sizes, [bytes(b) for b in buffers], None, error)
    return Payload(file.getvalue(), sizes, None, _write(buffers), error)


def dump_anyway(value, error=False):
    """Like dump(), but a value that cannot be pickled becomes an error that says so."""
    try:
        return dump(value, error)
    except Exception as problem:
        text = f"Could not serialize the result {_functions.short_repr(value)}: {problem}"
        return dump(TypeError(text), error=True)


def _padded(size):
    return (size + _kAlign - 1) // _kAlign * _kAlign


def _end(sizes):
    return max(1, sum(_padded(size) for size in sizes))


def _memory_file():
    try:
        return os.memfd_create("ray-object", os.MFD_CLOEXEC)
    except (AttributeError, OSError):  # not allowed in this sandbox: use an unlinked file
        folder = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryFile(dir=folder) as file:
            return os.dup(file.fileno())


def _write(buffers):
    """write() instead of a mapping: the kernel fills fresh pages without clearing them first."""
    fd = _memory_file()
    try:
        at = 0
        for buffer in buffers:
            view, done = memoryview(buffer).cast("B"), 0
            while done < len(view):
                done += os.pwrite(fd, view[done:], at + done)
            at += _padded(len(view))
        os.ftruncate(fd, max(1, at))
        return fd
    except BaseException:
        os.close(fd)
        raise


# ---- our own ways of pickling ----


class _Pickler(pickle.Pickler):
    def reducer_override(self, value):
        kind = type(value)
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor):
            return _reduce_tensor(torch, kind, value)
        numpy = sys.modules.get("numpy")
        if numpy is not None and kind is numpy.ndarray:
            return _reduce_array(value)
        return _functions.reduce(value)


def _reduce_tensor(torch, kind, tensor):
    parameter = kind is torch.nn.Parameter
    if not (parameter or kind is torch.Tensor) or tensor.device.type != "cpu" \
            or tensor.layout is not torch.strided or tensor.is_quantized:
        return NotImplemented
    flat = tensor.detach().resolve_conj().resolve_neg().contiguous()
    size = flat.numel() * flat.element_size()
    memory = (ctypes.c_ubyte * size).from_address(flat.data_ptr()) if size else bytearray()
    owner = _Owned(memory, flat)
    return _make_tensor, (pickle.PickleBuffer(owner.view), flat.dtype, tuple(flat.shape), tensor.requires_grad,
                          parameter, _Kept(owner))


class _Owned:
    def __init__(self, memory, owner):
        self.view, self.owner = memoryview(memory), owner


class _Kept:
    """Keeps a tensor's memory until the pickle is done (the pickler holds what it has seen); travels as None."""

    def __init__(self, owner):
        self.owner = owner

    def __reduce__(self):
        return _nothing, ()


def _nothing():
    return None


def _make_tensor(buffer, dtype, shape, requires_grad, parameter, _):
    import torch
    if memoryview(buffer).nbytes:
        tensor = torch.frombuffer(buffer, dtype=dtype).reshape(shape)
    else:
        tensor = torch.empty(shape, dtype=dtype)
    if parameter:
        return torch.nn.Parameter(tensor, requires_grad)
    return tensor.requires_grad_(requires_grad) if requires_grad else tensor


def _reduce_array(array):
    if array.dtype.hasobject or array.dtype.names:
        return NotImplemented
    import numpy
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    flat = array.T if fortran else numpy.ascontiguousarray(array)
    return _make_array, (pickle.PickleBuffer(flat.reshape(-1).view(numpy.uint8)), array.dtype, flat.shape if array.ndim
                         else (), fortran)


def _make_array(buffer, dtype, shape, fortran):
    """A read-only array, like those from Ray's object store."""
    import numpy
    array = numpy.frombuffer(buffer, dtype=dtype).reshape(shape)
    array.flags.writeable = False
    return array.T if fortran else array
