"""The types of ray.util.collective, with Ray's names and values."""

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from importlib.util import find_spec


def cupy_available():
    return False


def torch_available():
    return find_spec("torch") is not None


class Backend:
    """The name of a backend. Only GLOO can be had: rankscope's ranks are on the CPU."""

    NCCL = "NCCL"
    GLOO = "GLOO"
    UNRECOGNIZED = "unrecognized"

    def __new__(cls, name):
        upper = name.upper()
        if upper == "TORCH_GLOO":
            return Backend.GLOO
        if upper not in (Backend.NCCL, Backend.GLOO):
            raise ValueError(f"Unrecognized backend: '{name}'. Only NCCL and GLOO are supported")
        return upper


class ReduceOp(Enum):
    SUM = 0
    PRODUCT = 1
    MIN = 2
    MAX = 3


unset_timeout_ms = timedelta(milliseconds=-1)


def _options(name, **fields):
    return dataclass(type(name, (), {"__module__": __name__, **fields}))


_timeout = {"timeout_ms": unset_timeout_ms}
_reduce, _root = {"reduceOp": ReduceOp.SUM}, {"root_rank": 0, "root_tensor": 0}

AllReduceOptions = _options("AllReduceOptions", **_reduce, **_timeout)
BarrierOptions = _options("BarrierOptions", **_timeout)
ReduceOptions = _options("ReduceOptions", **_reduce, **_root, **_timeout)
AllGatherOptions = _options("AllGatherOptions", **_timeout)
BroadcastOptions = _options("BroadcastOptions", **_root, **_timeout)
ReduceScatterOptions = _options("ReduceScatterOptions", **_reduce, **_timeout)
SendOptions = _options("SendOptions", dst_rank=0, dst_gpu_index=0, n_elements=0, **_timeout)
RecvOptions = _options("RecvOptions", src_rank=0, src_gpu_index=0, n_elements=0, unset_timeout_ms=unset_timeout_ms)
