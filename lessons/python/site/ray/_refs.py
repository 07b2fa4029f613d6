"""ObjectRef, and what this process asks for objects: the hub in the driver, a client of it in a worker."""

import os

_current = None  # the Hub or the Client of this process
start = None  # ray.init, which _start sets


def current():
    """The Hub or the Client; starts Ray, as Ray itself does, if the program has not."""
    if _current is None:
        start()
    return _current


def current_or_none():
    return _current


def set_current(whom):
    global _current
    _current = whom


def new_id():
    return os.urandom(12).hex()


class ObjectRef:
    """A promise of a value: of ray.put, of a task, or of an actor's method."""

    __slots__ = ("_id", "_session", "_pid", "__weakref__")

    def __init__(self, object_id, session, counted=True):
        self._id, self._session, self._pid = object_id, session, os.getpid() if counted else -1

    def hex(self):
        return self._id

    def binary(self):
        return bytes.fromhex(self._id)

    def __repr__(self):
        return f"ObjectRef({self._id})"

    def __eq__(self, other):
        return isinstance(other, ObjectRef) and other._id == self._id

    def __hash__(self):
        return hash(self._id)

    def __reduce__(self):
        # An actor with the reference may ask for the object at any time, so it stays until shutdown.
        current().pin(self._id)
        return _arrived, (self._id,)

    def __await__(self):
        return current().get([self], None)[0]
        yield  # makes this a generator

    def __del__(self):
        whom = _current
        if whom is not None and self._pid == os.getpid() and whom.session == self._session:
            whom.dropped.append(self._id)


def _arrived(object_id):
    return ObjectRef(object_id, current().session, counted=False)  # it is pinned


class Slot:
    """Stands in a call's arguments where a reference stood; the value takes its place before the call."""

    __slots__ = ("index",)

    def __init__(self, index):
        self.index = index

    def __reduce__(self):
        return Slot, (self.index,)


def take_refs(args, kwargs):
    """Arguments with slots, and the references that stood there. As in Ray, nested ones stay references."""
    refs = []

    def slot(value):
        if not isinstance(value, ObjectRef):
            return value
        refs.append(value)
        return Slot(len(refs) - 1)

    return (tuple(slot(a) for a in args), {k: slot(v) for k, v in kwargs.items()}), refs


def put_values(args, kwargs, values):
    def fill(value):
        return values[value.index] if type(value) is Slot else value

    return [fill(a) for a in args], {k: fill(v) for k, v in kwargs.items()}
