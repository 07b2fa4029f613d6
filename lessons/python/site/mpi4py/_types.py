"""Datatypes and reduce operations."""

import operator

from rankscope import _native

from ._errors import failed, missing


class Datatype:
    """A type of elements: its size, how Python's struct names it, and rankscope's type when there is one."""

    def __init__(self, name="MPI_DATATYPE_NULL", size=0, code="", native=None, elements=1, predefined=True):
        self.name, self.size, self.typecode, self._native, self._elements = name, size, code, native, elements
        self._predefined = predefined

    def Get_size(self):
        return self.size

    def Get_extent(self):
        return 0, self.size

    @property
    def extent(self):
        return self.size

    lb = 0
    is_predefined = is_named = property(lambda self: self._predefined)

    def Get_name(self):
        return self.name

    def Create_contiguous(self, count):
        return Datatype(f"contiguous({count}, {self.name})", self.size * count, self.typecode, self._native,
                        self._elements * count, predefined=False)

    def Dup(self):
        return self

    Create_dup = Dup

    def Commit(self):
        return self

    def Free(self):
        pass

    def __bool__(self):
        return bool(self.size)

    def __repr__(self):
        return f"<mpi4py.MPI.Datatype {self.name}>"

    def __reduce__(self):
        return (_named, (self.name,)) if self.name in _by_name else object.__reduce__(self)

    def __getattr__(self, name):
        if name.startswith("Create_") or name in ("Pack", "Unpack", "Resized", "Pack_size"):
            raise missing(f"Datatype.{name}", "Copy the elements into a contiguous array (numpy.ascontiguousarray),"
                          " and send that.")
        raise AttributeError(f"'Datatype' object has no attribute '{name}'")


_native_of = {"B": _native.UINT8, "i": _native.INT32, "q": _native.INT64, "l": _native.INT64, "f": _native.FLOAT32,
              "d": _native.FLOAT64}
_by_name, by_code = {}, {}


def _named(name):
    return _by_name[name]


def _add(names, size, code):
    for name in names.split():
        _by_name["MPI_" + name] = Datatype("MPI_" + name, size, code, _native_of.get(code))
    by_code.setdefault(code, _by_name["MPI_" + names.split()[0]])


_add("BYTE", 1, "B")
_add("UNSIGNED_CHAR UINT8_T", 1, "B")
_add("CHAR", 1, "c")
_add("SIGNED_CHAR INT8_T INTEGER1", 1, "b")
_add("SHORT INT16_T INTEGER2", 2, "h")
_add("UNSIGNED_SHORT UINT16_T", 2, "H")
_add("INT INT32_T INTEGER INTEGER4", 4, "i")
_add("UNSIGNED UNSIGNED_INT UINT32_T", 4, "I")
_add("LONG INT64_T INTEGER8 AINT COUNT OFFSET", 8, "l")
_add("LONG_LONG LONG_LONG_INT", 8, "q")
_add("UNSIGNED_LONG UINT64_T", 8, "L")
_add("UNSIGNED_LONG_LONG", 8, "Q")
_add("FLOAT REAL REAL4", 4, "f")
_add("DOUBLE DOUBLE_PRECISION REAL8", 8, "d")
_add("C_BOOL CXX_BOOL BOOL LOGICAL1", 1, "?")
_add("C_FLOAT_COMPLEX COMPLEX COMPLEX8 C_COMPLEX CXX_FLOAT_COMPLEX", 8, "F")
_add("C_DOUBLE_COMPLEX DOUBLE_COMPLEX COMPLEX16 CXX_DOUBLE_COMPLEX", 16, "D")
_by_name["MPI_FLOAT16"] = by_code["e"] = Datatype("MPI_FLOAT16", 2, "e")
_add("FLOAT_INT", 8, "fi")
_add("DOUBLE_INT", 16, "di")
_add("TWOINT INT_INT", 8, "ii")
DATATYPE_NULL = Datatype()

names = {name[4:]: datatype for name, datatype in _by_name.items() if name != "MPI_FLOAT16"}

# What NumPy and the buffer protocol call the types.
by_typestr = {"|u1": "B", "|i1": "b", "|b1": "?", "|S1": "c", "<i2": "h", "<u2": "H", "<i4": "i", "<u4": "I",
              "<i8": "l", "<u8": "L", "<f2": "e", "<f4": "f", "<f8": "d", "<c8": "F", "<c16": "D"}
kAliases = {"i1": "b", "i2": "h", "i4": "i", "i8": "l", "u1": "B", "u2": "H", "u4": "I", "u8": "L", "f4": "f",
            "f8": "d", "c8": "F", "c16": "D", "b1": "?"}


def datatype_of(given):
    """A Datatype, from one or from its letter."""
    if isinstance(given, Datatype):
        if not given.size:
            raise failed("ERR_TYPE", "MPI.DATATYPE_NULL has no elements")
        return given
    if isinstance(given, str):
        letter = kAliases.get(given.lstrip("<=@|"), given.lstrip("<=@|"))
        if letter in by_code:
            return by_code[letter]
        raise KeyError(f"there is no datatype '{given}'; take one of MPI.INT, MPI.LONG, MPI.FLOAT, MPI.DOUBLE ...")
    raise TypeError(f"expected a datatype (MPI.DOUBLE), not {given!r}")


# ---- operations ----


class Op:
    """A reduce operation: of rankscope when it has one for the type, else Python's."""

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
        from ._buffers import reduce_local
        reduce_local(self, inbuf, inoutbuf)

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
