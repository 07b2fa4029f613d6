"""The exceptions of Ray that programs catch. Their names, bases and meanings are Ray's."""

import os
import pickle


class RayError(Exception):
    """The base of Ray's errors."""


class RaySystemError(RayError):
    """Ray cannot go on; in the stand-in, the driver waits for a call that cannot end."""


class GetTimeoutError(RayError, TimeoutError):
    """The timeout of ray.get(..., timeout=s) passed first."""


class RayActorError(RayError):
    """The actor is gone, so its method did not run, or did not end."""

    def __init__(self, message="The actor died unexpectedly before finishing this task.", actor_id=None):
        super().__init__(message)
        self.actor_id = actor_id


class ActorDiedError(RayActorError):
    """The actor is gone for good."""


class WorkerCrashedError(RayError):
    """The process of a task ended before the task did."""

    def __init__(self, message="The worker died unexpectedly while executing this task."):
        super().__init__(message)


class ActorAlreadyExistsError(ValueError, RayError):
    """Another actor has the new actor's name."""


class ObjectLostError(RayError):
    """The object of a reference does not exist (any more)."""


class UnserializableException(RayError):
    """The exception of a task could not be transferred."""


class RayTaskError(RayError):
    """A task or a method raised an exception. What ray.get raises is both this and of the cause's class."""

    def __init__(self, function_name, traceback_str, cause=None, pid=None):
        super().__init__(function_name, traceback_str)
        self.function_name = function_name
        self.traceback_str = traceback_str
        self.cause = cause
        self.pid = os.getpid() if pid is None else pid

    def __str__(self):
        return f"ray::{self.function_name} (pid={self.pid})\n{self.traceback_str.rstrip()}"

    def __reduce__(self):
        cause = self.cause
        try:
            pickle.loads(pickle.dumps(cause))
        except Exception:  # an exception whose __init__ wants more than args, or that holds a socket ...
            cause = None
        return RayTaskError, (self.function_name, self.traceback_str, cause, self.pid)

    def as_instanceof_cause(self):
        """This error, also as an instance of the cause's class, so that `except ValueError` works."""
        kind = type(self.cause)
        if self.cause is None or isinstance(self.cause, RayTaskError):
            return self
        if issubclass(RayTaskError, kind):  # Exception, BaseException
            return self
        try:
            error = _dual(kind).__new__(_dual(kind))
        except TypeError:  # the classes' layouts conflict
            return self
        error.__dict__.update(self.__dict__)
        error.args = (self.cause,)
        error.__cause__ = None
        return error

    def __getattr__(self, name):
        if name.startswith("__") or name in ("cause", "function_name", "traceback_str", "pid"):
            raise AttributeError(name)
        return getattr(self.cause, name)  # e.errno, e.returncode ...


_duals = {}


def _dual(kind):
    if kind not in _duals:
        name = f"RayTaskError({kind.__name__})"
        _duals[kind] = type(name, (RayTaskError, kind), {"__str__": RayTaskError.__str__, "__module__": "ray.exceptions"})
    return _duals[kind]
