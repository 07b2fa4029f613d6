"""Datatypes."""

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

# The types' names in NumPy and the buffer protocol.
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
