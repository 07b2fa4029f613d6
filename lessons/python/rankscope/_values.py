"""Numbers in a program's variables, as lists; and telling numbers to be put there."""
import math
import numbers
import sys

from ._memory import is_tensor

kMost = 65_536      # elements of a compared value, at most
kMostShort = 4_096  # elements of a value whose changes are kept

_NEVER = (str, bytes, dict, set, type, bool, complex)


def _is_array(thing):
    numpy = sys.modules.get("numpy")
    return isinstance(thing, (getattr(numpy, "ndarray", ()), getattr(numpy, "generic", ())))


def may_be_data(thing):
    """Returns quickly whether of() may find values."""
    if thing is None or isinstance(thing, _NEVER):
        return False
    return isinstance(thing, (int, float, list, tuple)) or type(thing).__name__ == "array" or is_tensor(thing) or \
        _is_array(thing)


def _flat(thing, depth=0):
    """(values, dtype, shape) or None."""
    if isinstance(thing, _NEVER):
        return None
    if isinstance(thing, (int, float)):
        return [float(thing)] if abs(thing) < 1e300 or thing != thing else None, \
            "int" if isinstance(thing, int) else "float", []
    if is_tensor(thing):
        if thing.is_complex() or thing.is_sparse or thing.device.type != "cpu" or thing.numel() > kMost:
            return None
        return thing.detach().double().reshape(-1).tolist(), str(thing.dtype)[6:], list(thing.shape)
    if _is_array(thing):
        if thing.dtype.kind not in "iuf" or thing.size > kMost:
            return None
        return thing.astype("f8").reshape(-1).tolist(), str(thing.dtype), list(thing.shape)
    if type(thing).__name__ == "array" and hasattr(thing, "typecode") and thing.typecode != "u":
        return [float(one) for one in thing[:kMost + 1]], thing.typecode, [len(thing)]
    if isinstance(thing, (list, tuple)) and depth < 3 and 0 < len(thing) <= kMost:
        return _flat_list(thing, depth)
    return None


def _flat_list(things, depth):
    values, dtype, shapes = [], "", []
    for one in things:
        part = _flat(one, depth + 1)
        if part is None or part[0] is None:
            return None
        values += part[0]
        dtype = dtype or part[1]
        shapes.append(part[2])
        if len(values) > kMost:
            return None
    same = all(shape == shapes[0] for shape in shapes)
    return values, dtype, [len(things)] + shapes[0] if same else [len(values)]


def of(thing):
    """Returns the {"values", "dtype", "shape"} of an object that holds numbers; None if it holds others, or too many."""
    try:
        found = _flat(thing)
    except Exception:  # no variable of the program may stop it
        return None
    if found is None or found[0] is None or len(found[0]) > kMost:
        return None
    values, dtype, shape = found
    return {"values": [one if math.isfinite(one) else None for one in values], "dtype": dtype, "shape": shape}


def short(value):
    """A change to keep: with its values if they are few."""
    return value["values"] if len(value["values"]) <= kMostShort else None


# ---- values in words ----

def _bits(dtype):
    """The bits of a value, so few that sums over all ranks and products of a few values are exact."""
    if dtype in ("uint8", "int8", "B", "b"):
        return 3
    if dtype in ("float16", "bfloat16", "int16", "uint16", "h", "H"):
        return 6
    return 14 if "int" in dtype or dtype in "ilqILQ" else 18


def telling(rank, element, bits):
    """A number that no other rank and no other element has; the same in every process."""
    mixed = (rank + 1) * 0x9E3779B1 + (element + 1) * 0x85EBCA77
    mixed ^= mixed >> 15
    mixed = mixed * 0xC2B2AE3D & 0xFFFFFFFF
    mixed ^= mixed >> 13
    return 1 + (mixed & ((1 << bits) - 1))


def tell(thing, rank):
    """Writes telling values into an array or a list. Returns the number to bind in place of a plain one, else None."""
    if isinstance(thing, _NEVER):
        return None
    if isinstance(thing, (int, float)) and isinstance(thing, numbers.Real):
        return type(thing)(telling(rank, 0, 14 if isinstance(thing, int) else 18))
    if is_tensor(thing):
        torch = sys.modules["torch"]
        if thing.dtype is torch.bool or thing.is_complex():
            return None
        bits = _bits(str(thing.dtype)[6:])
        with torch.no_grad():
            thing.copy_(torch.tensor([telling(rank, e, bits) for e in range(thing.numel())],
                                     dtype=torch.float64).reshape(thing.shape))
        return None
    if _is_array(thing) and thing.dtype.kind in "iuf":
        bits = _bits(str(thing.dtype))
        values = [telling(rank, e, bits) for e in range(thing.size)]
        if not thing.shape:
            return type(thing)(values[0])
        thing[...] = sys.modules["numpy"].array(values, dtype="f8").reshape(thing.shape).astype(thing.dtype)
        return None
    if isinstance(thing, list) and thing and all(isinstance(one, (int, float)) and not isinstance(one, bool)
                                                 for one in thing):
        for e, one in enumerate(thing):
            thing[e] = type(one)(telling(rank, e, 14))
    return None
