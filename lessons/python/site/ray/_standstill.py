"""Calls that cannot end: the driver waits for one, and nobody is left who could bring it about.

Where every worker is idle, or waits for an object or for a group to be whole, the hub alone knows. Where a call's rank
sleeps in a message, only the run's conductor can tell a deadlock from a message that is late: the hub says to the other
workers of the group that their ranks count as asleep, since they act only when the hub tells them to. Before it does,
they say that they are awake; so does everybody before the driver goes on."""

import os
import threading
import time

from rankscope import _native, _places

from . import exceptions

_kPause = 0.15  # seconds without news until ranks count as asleep, so that short calls cost no messages
_kAnswer = 15.0  # on a busy machine


def may_wait(timeout):
    """Returns whether the calling thread's wait in the driver may last for ever, as no other thread can act."""
    from rankscope import _session
    return (timeout is None and threading.current_thread() is threading.main_thread()
            and len(_session.program_threads()) == 1)


class Wait:
    """The driver's wait for the objects `ids`. All methods run under the hub's lock."""

    def __init__(self, hub, ids):
        self.hub, self.ids, self.place = hub, ids, _places.innermost()

    def look(self):
        """The seconds until the next look, or None. Raises RaySystemError when the driver waits for ever."""
        live = [actor for actor in self.hub.actors.values() if actor.dead is None]
        if self.hub.waiting_tasks or any(a.link is None or a.threads or a.waking for a in live):
            return None
        if any(a.asked and a.asked[3] is not None for a in live):  # its timeout will end it
            return None
        working = [a for a in live if a.running is not None and a.asked is None
                   and not _waits_in_vain(self.hub, a, live)]
        if not working:
            raise exceptions.RaySystemError(_words(self.hub, live, self.ids))
        worlds = set().union(*(actor.groups for actor in working))
        if len(worlds) != 1 or not all(actor.groups for actor in working):
            return None
        left = self.hub.last_news + _kPause - time.monotonic()
        if left > 0:
            return left
        for actor in live:
            if actor.groups & worlds and not actor.asleep and actor not in working:
                self._let_sleep(actor)
        return None

    def _let_sleep(self, actor):
        actor.asleep = True
        idle, place = (_native.WAITING, actor.asked[4]) if actor.asked else (_native.UNCALLED, self.place)
        self.hub._notify(actor, ("asleep", idle, place))

    def end(self):
        """Wakes all workers before the driver goes on."""
        actors = [actor for actor in self.hub.actors.values() if actor.asleep or actor.waking]
        for actor in actors:
            wake(self.hub, actor)
        end = time.monotonic() + _kAnswer
        while any(a.waking and a.link is not None for a in actors) and time.monotonic() < end:
            self.hub.changed.wait(0.05)


def wake(hub, actor):
    """Wakes a worker before anything that lets it act."""
    if actor.asleep:
        actor.asleep, actor.waking = False, True
        hub._notify(actor, ("awake", _native.AWAKE))


def is_awake(hub, actor, fds=()):
    """Notes that a worker is awake, or gone."""
    actor.asleep = actor.waking = False
    for caller in actor.callers:
        hub._notify(caller, ("answer", None))
    actor.callers = []
    hub.changed.notify_all()


def _waits_in_vain(hub, actor, live):
    """Returns whether a worker waits for a group whose other ranks will never come."""
    if actor.joining is None:
        return False
    group, size, _, _ = actor.joining
    if any(group in other.groups for other in hub.actors.values()):  # it is complete: they are about to hear so
        return False
    return sum(group in (*other.groups, *(other.joining or ())[:1]) for other in live) < size


def _words(hub, live, ids):
    """The error's text: which calls wait for which."""
    waits = [f"{_name(actor, actor.running)} waits in ray.{actor.asked[0]}{_at(actor.asked[4])} for"
             f" {_producers(hub, actor.asked[1])}." for actor in live if actor.asked is not None]
    joins = [_join_text(actor, live) for actor in live if actor.joining is not None]
    text = f"this ray.get waits for ever, for {_producers(hub, ids)}."
    text += "".join(f"\n  {line}" for line in waits + joins)
    if waits:
        text += ("\nAn actor carries out one call at a time: a call that waits for a call of the same actor, or of one"
                 " that waits for it, never ends. Return the value, or pass it as an argument, instead of asking for"
                 " it in the call.")
    if joins:
        text += ("\nA group begins when all of its ranks have come: start every rank's call before the first ray.get,"
                 " and give all of them the same group name and world size.")
    return text


def _join_text(actor, live):
    group, size, rank, place = actor.joining
    there = {other.joining[2] for other in live if other.joining and other.joining[0] == group}
    missing = ", ".join(str(other) for other in range(size) if other not in there)
    return (f"{_name(actor, actor.running)} joins the group '{group}'{_at(place)} as rank {rank} of {size}; of its ranks"
            f" {missing} nobody comes.")


def _at(place):
    return f" at {os.path.basename(place[0])}:{place[1]}" if place else ""


def _name(actor, call):
    return f"{actor.info['class']}.{call.method}()" if not actor.info["task"] else f"{actor.info['class']}()"


def _producers(hub, ids):
    """The calls that will return these objects, with what keeps each."""
    found = []
    for actor in hub.actors.values():
        queued = list(actor.queue)
        for call in ([actor.running] if actor.running else []) + queued:
            if any(object_id in call.out and hub.objects[object_id].payload is None for object_id in ids
                   if object_id in hub.objects):
                behind = f", which comes after {_name(actor, actor.running)}" if call in queued and actor.running else ""
                found.append(_name(actor, call) + behind)
    return " and ".join(found) or "an object that no call will return"
