"""Reduce operations, including those that the engine lacks."""

import operator
import struct
import sys

from rankscope import _native

from ._buffers import piece
from ._errors import failed


class Op:
    """A reduce operation: the engine's where it has one for the type, else a function of Python."""

    def __init__(self, name="MPI_OP_NULL", function=None, native=None, user=None, commute=True):
        self.name, self._function, self._native, self._user, self._commute = name, function, native, user, commute

    @classmethod
    def Create(cls, function, commute=False):
        return cls("user", None, None, function, commute)

    def Free(self):
        pass

    def Is_commutative(self):
        return self._commute

    is_commutative = property(Is_commutative)
    is_predefined = property(lambda self: self._user is None)

    def __call__(self, x, y):
        if self._user is not None:
            return self._user(x, y, None)
        if self._function is None:
            raise failed("ERR_OP", "MPI.OP_NULL reduces nothing")
        return self._function(x, y)

    def Reduce_local(self, inbuf, inoutbuf):
        given, target = piece(inbuf, False), piece(inoutbuf, False, True)
        target.fill(combine(self, given.datatype, given.copy(), target.copy()))

    def __bool__(self):
        return self._function is not None or self._user is not None

    def __repr__(self):
        return f"<mpi4py.MPI.Op {self.name}>"

    def __reduce__(self):
        return (_op_named, (self.name,)) if self._user is None else (Op, (self.name, None, None, self._user))


def _op_named(name):
    return ops[name[4:]]


def _located(better):
    """MPI_MAXLOC and MPI_MINLOC: pairs of a value and a place; of equal values the lower place."""
    def choose(x, y):
        (a, i), (b, j) = x, y
        if a == b:
            return (a, min(i, j))
        return (a, i) if better(a, b) else (b, j)
    return choose


ops = {
    "SUM": Op("MPI_SUM", operator.add, _native.SUM),
    "PROD": Op("MPI_PROD", operator.mul, _native.PRODUCT),
    "MIN": Op("MPI_MIN", lambda x, y: y if y < x else x, _native.MIN),
    "MAX": Op("MPI_MAX", lambda x, y: y if y > x else x, _native.MAX),
    "BAND": Op("MPI_BAND", operator.and_, _native.BAND),
    "BOR": Op("MPI_BOR", operator.or_, _native.BOR),
    "BXOR": Op("MPI_BXOR", operator.xor, _native.BXOR),
    "LAND": Op("MPI_LAND", lambda x, y: bool(x) and bool(y)),
    "LOR": Op("MPI_LOR", lambda x, y: bool(x) or bool(y)),
    "LXOR": Op("MPI_LXOR", lambda x, y: bool(x) != bool(y)),
    "MAXLOC": Op("MPI_MAXLOC", _located(operator.gt)),
    "MINLOC": Op("MPI_MINLOC", _located(operator.lt)),
    "REPLACE": Op("MPI_REPLACE", lambda x, y: x),
    "NO_OP": Op("MPI_NO_OP", lambda x, y: y),
}
OP_NULL = Op()


def engine_reduces(op, datatype):
    return op._native is not None and datatype._native is not None


def combine(op, datatype, left, right):
    """left op right, elementwise, as bytes."""
    if op._user is not None:
        result = bytearray(right)  # MPI's convention: inout = in op inout
        op._user(memoryview(bytearray(left)), memoryview(result), datatype)
        return bytes(result)
    code = datatype.typecode
    if code in ("fi", "di", "ii"):
        return _combine_pairs(op, code, left, right)
    numpy = sys.modules.get("numpy") or __import__("numpy")
    kind = {"c": "S1", "l": "i8", "L": "u8"}.get(code, code)
    a, b = numpy.frombuffer(left, kind), numpy.frombuffer(right, kind)
    functions = {"MPI_SUM": numpy.add, "MPI_PROD": numpy.multiply, "MPI_MIN": numpy.minimum, "MPI_MAX": numpy.maximum,
                 "MPI_BAND": numpy.bitwise_and, "MPI_BOR": numpy.bitwise_or, "MPI_BXOR": numpy.bitwise_xor,
                 "MPI_LAND": numpy.logical_and, "MPI_LOR": numpy.logical_or, "MPI_LXOR": numpy.logical_xor}
    if op.name not in functions:
        raise failed("ERR_OP", f"{op.name} does not go with {datatype.name}")
    return functions[op.name](a, b).astype(kind).tobytes()


def _combine_pairs(op, code, left, right):
    form = struct.Struct({"fi": "fi", "di": "di4x", "ii": "ii"}[code])
    out = bytearray()
    for x, y in zip(form.iter_unpack(left), form.iter_unpack(right)):
        out += form.pack(*op(x, y))
    return bytes(out)
