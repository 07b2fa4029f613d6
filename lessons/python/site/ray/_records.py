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
        self.dead = None       # what its callers get
        self.asked = None      # a request that waits for objects: (kind, ids, count, deadline, place)
        self.failed = False    # its last call ended with an error
        self.leaving = False   # ends when its queue is empty
        self.ours = True       # a child of this process
        # For _standstill:
        self.threads = False       # a thread of it may act while it is idle
        self.joining = None        # waits until a group is whole: (group, size, rank, place)
        self.groups = frozenset()  # the groups in which it is a rank
        self.asleep = False        # its ranks count as asleep
        self.waking = False        # it was asked to be awake again, and has not answered yet
        self.callers = []          # workers whose call waits for that answer
