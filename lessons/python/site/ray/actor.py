"""ray.actor: the classes of handles, and exit_actor."""

from . import _refs
from ._actors import ActorClass, ActorHandle, ActorMethod

__all__ = ["ActorClass", "ActorHandle", "ActorMethod", "exit_actor"]


def exit_actor():
    """Ends the actor that calls it."""
    from . import _worker
    if not isinstance(_refs.current_or_none(), _worker.Client):
        raise TypeError("exit_actor API is called on a non-actor worker.")
    raise _worker.ActorExit
