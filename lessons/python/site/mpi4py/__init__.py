"""mpi4py on rankscope: `from mpi4py import MPI` makes this program a rank of the run that can be watched."""

import sys

from ._errors import MissingModule as _MissingModule, missing as _missing

__version__ = "3.1.4+rankscope"
__all__ = ["MPI"]


class _Absent:
    """A finder that is asked last: says of modules of mpi4py that are not here what there is."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith("mpi4py."):
            raise _missing(name, "It has mpi4py.MPI: messages, collectives, requests, datatypes, groups and grids, but"
                                 " no windows, files or pools of processes.", _MissingModule)
        return None


sys.meta_path.append(_Absent)


class _Settings:
    """mpi4py.rc: accepted; joining the run needs none of them."""

    def __init__(self):
        self.initialize, self.threads, self.thread_level, self.finalize = True, True, "multiple", None
        self.fast_reduce, self.recv_mprobe, self.irecv_bufsz, self.errors = True, True, 32768, "exception"

    def __call__(self, **settings):
        for name, value in settings.items():
            if not hasattr(self, name):
                raise TypeError(f"unexpected argument '{name}'")
            setattr(self, name, value)


rc = _Settings()


def get_include():
    raise _missing("mpi4py.get_include", "C and C++ programs include rankscope.h instead.")


def get_config():
    return {}


def profile(name, **_):
    raise _missing("mpi4py.profile", "rankscope records every message already; see `rankscope exec --help`.")


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    if name == "MPI":
        from importlib import import_module
        return import_module("mpi4py.MPI")
    raise _missing(f"mpi4py.{name}", "It has mpi4py.MPI.")
