"""MPI's error codes, and the exception that carries one."""

SUCCESS = 0
_kTexts = {
    "ERR_BUFFER": (1, "invalid buffer pointer"), "ERR_COUNT": (2, "invalid count argument"),
    "ERR_TYPE": (3, "invalid datatype"), "ERR_TAG": (4, "invalid tag"), "ERR_COMM": (5, "invalid communicator"),
    "ERR_RANK": (6, "invalid rank"), "ERR_REQUEST": (7, "invalid request"), "ERR_ROOT": (8, "invalid root"),
    "ERR_GROUP": (9, "invalid group"), "ERR_OP": (10, "invalid reduce operation"),
    "ERR_TOPOLOGY": (11, "invalid communicator topology"), "ERR_DIMS": (12, "invalid topology dimension"),
    "ERR_ARG": (13, "invalid argument of some other kind"), "ERR_UNKNOWN": (14, "unknown error"),
    "ERR_TRUNCATE": (15, "message truncated"), "ERR_OTHER": (16, "known error not in list"),
    "ERR_INTERN": (17, "internal error"), "ERR_IN_STATUS": (18, "error code in status"),
    "ERR_PENDING": (19, "pending request"),
}
_names = {code: (name, text) for name, (code, text) in _kTexts.items()}
codes = {name: code for name, (code, _) in _kTexts.items()}


class Exception(RuntimeError):
    """MPI.Exception: str() begins with the name of MPI's error class."""

    def __init__(self, ierr=0, detail=""):
        super().__init__(ierr, detail)
        self.ob_mpi, self.detail = int(ierr), detail

    def __str__(self):
        return self.Get_error_string() + (f": {self.detail}" if self.detail else "")

    def __int__(self):
        return self.ob_mpi

    def __eq__(self, other):
        return int(other) == self.ob_mpi if isinstance(other, (int, Exception)) else NotImplemented

    def __hash__(self):
        return hash(self.ob_mpi)

    def Get_error_code(self):
        return self.ob_mpi

    Get_error_class = Get_error_code

    def Get_error_string(self):
        name, text = _names.get(self.ob_mpi, ("SUCCESS" if self.ob_mpi == 0 else f"error {self.ob_mpi}", "no error"))
        return f"MPI_{name}: {text}"

    __module__ = "mpi4py.MPI"  # the name that tracebacks show

    error_code = property(Get_error_code)
    error_class = property(Get_error_class)
    error_string = property(Get_error_string)


def failed(name, detail=""):
    return Exception(codes[name], detail)


class Missing(NotImplementedError, AttributeError):
    """An error of both kinds, so that hasattr() still works. `nearest` says what to use instead."""


class MissingModule(ModuleNotFoundError):
    """The same for a module. It is raised without a `name`: with one, `from mpi4py import ...` would hide it."""


def missing(what, nearest, kind=Missing):
    error = kind(f"{what} is not in rankscope's mpi4py. {nearest}")
    error.lacks, error.nearest = f"rankscope's mpi4py has no {what}", nearest
    return error


def is_misspelled(name, names):
    """Returns whether one of these names differs only in capitals and underscores."""
    plain = name.replace("_", "").lower()
    return any(one.replace("_", "").lower() == plain for one in names)


def Get_error_string(errorcode):
    return Exception(errorcode).Get_error_string()


def Get_error_class(errorcode):
    return int(errorcode)
