"""Handles the workers' messages to the hub, in the hub's thread, with its lock held."""

import os
import time

from . import _objects, _standstill, exceptions
from ._records import Actor, Call, Entry
from ._wire import Link


def handle(hub, actor, message, fds):
    kind, *rest = message
    taken = False
    if kind in _kTold:
        getattr(hub, kind)(*rest)
    elif kind in _kAsked:
        hub._notify(actor, ("answer", getattr(hub, kind)(*rest)))
    else:
        taken = _kKinds[kind](hub, actor, fds, *rest)
    for fd in () if taken else fds:
        os.close(fd)


def _done(hub, actor, fds, wires):
    """Notes that a call has ended with these values or errors."""
    call, actor.running, actor.joining = actor.running, None, None
    payloads = [_objects.Payload.from_wire(wire, fds) for wire in wires]
    actor.failed = any(payload.error for payload in payloads)
    if call is None:  # it was killed while it sent this
        return False
    if call.method == "__init__" and payloads[0].error:
        actor.dead = str(payloads[0].load())
        hub._store(call, payloads)
        hub._end(actor, actor.dead)
        hub._notify(actor, ("exit",))
        return True
    hub._store(call, payloads)
    if actor.info["task"]:
        actor.leaving = True
    hub._dispatch(actor)
    return True


def _get(hub, actor, fds, ids, timeout, place):
    actor.asked = ("get", ids, len(ids), None if timeout is None else time.monotonic() + timeout, place)
    answer(hub, actor)
    hub.changed.notify_all()


def _wait(hub, actor, fds, ids, count, timeout, place):
    actor.asked = ("wait", ids, count, None if timeout is None else time.monotonic() + timeout, place)
    answer(hub, actor)
    hub.changed.notify_all()


def _put(hub, actor, fds, object_id, wire):
    hub.objects[object_id] = Entry(_objects.Payload.from_wire(wire, fds))
    hub._news()
    return True


def _call(hub, actor, fds, actor_id, method, out, needs, wire):
    for object_id in out:
        hub.objects[object_id] = Entry()
    hub._submit(actor_id, Call(out, method, _objects.Payload.from_wire(wire, fds), needs))
    called = hub.actors.get(actor_id)
    # The caller may sleep as soon as it goes on, so the called actor has to be awake by then.
    if called is not None and called.waking and called.link is not None:
        called.callers.append(actor)
    else:
        hub._notify(actor, ("answer", None))
    return True


def _started(hub, actor, fds, actor_id, info, pid):
    """Notes that the worker has started another one, whose link came along."""
    import socket
    new = Actor(actor_id, info)
    new.ours = False
    hub.actors[actor_id] = new
    hub._connected(new, pid, Link(socket.socket(fileno=fds[0])))
    return True


def _drop(hub, actor, fds, objects, actors):
    for object_id in objects:
        hub._drop(object_id)
    for actor_id in actors:
        hub._let_go(actor_id)


def _leaves(hub, actor, fds, reason):
    """Notes that the worker ends by the program's will (exit_actor, sys.exit)."""
    actor.dead = reason


def _threads(hub, actor, fds):
    actor.threads = True


def _joins(hub, actor, fds, *group):
    actor.joining = group
    hub.changed.notify_all()


def _joined(hub, actor, fds, group):
    actor.joining = None
    actor.groups |= {group}


def _left(hub, actor, fds, group):
    actor.groups -= {group}


_kTold, _kAsked = ("keep", "kill", "pin"), ("kept", "named")  # methods of the hub
_kKinds = {"done": _done, "get": _get, "wait": _wait, "put": _put, "call": _call, "started": _started,
           "drop": _drop, "leaves": _leaves, "threads": _threads, "awake": _standstill.is_awake,
           "joins": _joins, "joined": _joined, "left": _left}


def answer(hub, actor):
    """Answers a request for objects if it can be answered now."""
    kind, ids, count, deadline, _ = actor.asked
    late = deadline is not None and time.monotonic() >= deadline
    try:
        if kind == "wait":
            done = hub._done(ids)
            if len(done) >= count or late:
                _standstill.wake(hub, actor)
                actor.asked = None
                hub._notify(actor, ("answer", done[:count]))
            return
        found = hub._ready(ids)
    except ValueError as error:
        found = [_objects.dump(error, error=True)]
    if found is None and late:
        error = exceptions.GetTimeoutError("Get timed out: some object(s) not ready.")
        found = [_objects.dump(error, error=True)]
    if found is not None:
        _standstill.wake(hub, actor)
        actor.asked = None
        fds = []
        hub._notify(actor, ("answer", [payload.to_wire(fds) for payload in found]), fds)


def overdue(hub):
    """Answers requests whose time is over. Returns the seconds until the next timeout."""
    soonest = None
    for actor in list(hub.actors.values()):
        if actor.asked is not None and actor.asked[3] is not None:
            left = actor.asked[3] - time.monotonic()
            if left <= 0:
                answer(hub, actor)
            else:
                soonest = left if soonest is None else min(soonest, left)
    return soonest
