"""The hub's records of objects, calls and workers."""

import collections


class Entry:
    """An object: its payload, once it is there, and how many references there are to it."""

    __slots__ = ("payload", "count")

    def __init__(self, payload=None, count=1):
        self.payload, self.count = payload, count


class Call:
    __slots__ = ("out", "method", "payload", "needs")

    def __init__(self, out, method, payload, needs):
        self.out, self.method, self.payload, self.needs = out, method, payload, needs


class Actor:
    """A worker as the hub sees it: of an actor, or of one task."""

    def __init__(self, actor_id, info, pid=None, link=None):
        self.id, self.info, self.pid, self.link = actor_id, info, pid, link
        self.queue, self.running = collections.deque(), None
        self.dead = None       # the error for its callers
        self.asked = None      # the pending request for objects: (kind, ids, count, deadline, place)
        self.failed = False    # its last call ended with an error
        self.leaving = False   # ends when its queue is empty
        self.ours = True       # a child of this process
        # For _standstill:
        self.threads = False       # one of its threads may act while it is idle
        self.joining = None        # the group that it waits to see complete: (group, size, rank, place)
        self.groups = frozenset()  # the groups in which it is a rank
        self.asleep = False        # its ranks count as asleep
        self.waking = False        # it was asked to wake up and has not answered yet
        self.callers = []          # workers whose calls wait for that answer
