"""Calls that cannot end: the driver waits for one, and every worker is idle or waits for an object itself."""

import threading


def may_wait(timeout):
    """Whether the calling thread's wait in the driver can be one for ever: no other thread of it may act."""
    from rankscope import _session
    return (timeout is None and threading.current_thread() is threading.main_thread()
            and len(_session.program_threads()) == 1)


def look(hub, ids):
    """With the hub's lock held, by the driver that waits. An error text when its wait cannot end; else None."""
    live = [actor for actor in hub.actors.values() if actor.dead is None]
    if hub.waiting_tasks or any(a.link is None or a.threads for a in live):
        return None
    if any(a.asked[3] if a.asked else a.running for a in live):  # its time will be over, or it works
        return None
    return _words(hub, live, ids)


def _words(hub, live, ids):
    """Who waits for which call."""
    waits = [f"{_name(actor, actor.running)} waits in ray.{actor.asked[0]}{_at(actor.asked[4])} for"
             f" {_producers(hub, actor.asked[1])}" for actor in live if actor.asked is not None]
    return (f"this ray.get waits for ever, for {_producers(hub, ids)}."
            + "".join(f"\n  {wait}" for wait in waits)
            + "\nAn actor carries out one call at a time: a call that waits for a call of the same actor, or of one that"
              " waits for it, never ends. Return the value, or pass it as an argument, instead of asking for it in the"
              " call.")


def _at(place):
    return f" at {place[0]}:{place[1]}" if place else ""


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
