"""The driver's side: all objects, all actors, and the thread that receives the workers' messages.

A worker gets one call at a time, and only when the values of the references among its arguments are there; so calls of
one actor run in order, and no message waits in a socket whose reader is busy."""

import collections
import os
import selectors
import signal
import sys
import threading
import time

from rankscope import _tracebacks

from . import _answers, _objects, _spawn, _standstill, _worker, exceptions
from ._records import Actor, Call, Entry
from ._refs import ObjectRef, new_id
from ._wire import Closed, Link

kEndTimeout = 15.0  # seconds in which the workers may leave; on a busy machine a rank needs time to say goodbye
kFirstTimeout = 3.0  # seconds until the other workers are asked to leave
_MOST_TASKS = 32  # tasks (not actors) that run at once; further ones wait


class Hub:
    def __init__(self):
        self.pid, self.session = os.getpid(), new_id()
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.objects, self.actors, self.values = {}, {}, {}
        self.waiting_tasks = collections.deque()
        self.dropped = collections.deque()  # ids of deleted references, filled by __del__ at any moment
        self.dropped_actors = collections.deque()
        self.last_news = time.monotonic()
        self.closed = False
        self.selector = selectors.DefaultSelector()
        self.wake_read, self.wake_write = os.pipe()
        self.selector.register(self.wake_read, selectors.EVENT_READ, None)
        self.thread = threading.Thread(target=self._listen, name="ray", daemon=True)
        self.thread.rankscope_own = True
        self.thread.start()

    # ---- requests of a program; the Client has the same methods ----

    def get(self, refs, timeout):
        ids = [ref.hex() for ref in refs]
        with self.lock:
            ready = self._await(lambda: self._ready(ids), lambda found: found is not None, timeout, ids)
        if ready is None:
            raise exceptions.GetTimeoutError("Get timed out: some object(s) not ready.")
        return [payload.value() for payload in ready]

    def wait(self, refs, count, timeout):
        ids = [ref.hex() for ref in refs]
        with self.lock:
            return self._await(lambda: self._done(ids), lambda done: len(done) >= count, timeout, ids)[:count]

    def put(self, value):
        payload = _objects.dump(value)
        with self.lock:
            self._tidy()
            object_id = new_id()
            self.objects[object_id] = Entry(payload)
        return ObjectRef(object_id, self.session)

    def submit(self, actor_id, method, args, refs, returns):
        """Queues a call and returns references to its results."""
        payload = _objects.dump(args)
        out = [new_id() for _ in range(returns)]
        with self.lock:
            self._tidy()
            for object_id in out:
                self.objects[object_id] = Entry()
            self._submit(actor_id, Call(out, method, payload, [ref.hex() for ref in refs]))
        return [ObjectRef(object_id, self.session) for object_id in out]

    def start(self, info, target):
        """Starts a worker for calls on `target` (a class, or the function of a task) and returns its id."""
        actor_id = new_id()
        with self.lock:
            self._tidy()
            self._claim_name(info)
            actor = Actor(actor_id, info)
            self.actors[actor_id] = actor
            if info["task"] and self._tasks_running() >= _MOST_TASKS:
                self.waiting_tasks.append((actor, target))
            else:
                self._fork(actor, target)
        return actor_id

    def kill(self, actor_id):
        with self.lock:
            actor = self.actors.get(actor_id)
            if actor is not None and actor.dead is None:
                self._end(actor, "The actor is dead because it was killed by `ray.kill`.", kill=True)

    def named(self, name):
        with self.lock:
            for actor in self.actors.values():
                if name and actor.info["name"] == name and actor.dead is None:
                    return actor.id, actor.info
        return None

    def pin(self, object_id):
        with self.lock:
            if object_id in self.objects:
                self.objects[object_id].count += 1

    def keep(self, key, value):
        with self.lock:
            self.values[key] = value

    def kept(self, key):
        with self.lock:
            return self.values.get(key)

    # ---- the methods below run under the lock ----

    def _await(self, look, is_enough, timeout, ids):
        """Waits until look() has a result or the time is over, and returns it. RayError if it never will."""
        deadline = None if timeout is None else time.monotonic() + timeout
        wait = _standstill.Wait(self, ids) if _standstill.may_wait(timeout) else None
        try:
            while True:
                self._tidy()
                found = look()
                left = None if deadline is None else deadline - time.monotonic()
                if is_enough(found) or (left is not None and left <= 0):
                    return found
                if wait is not None:
                    left = wait.look()
                self.changed.wait(left)
        finally:
            if wait is not None:
                wait.end()

    def _ready(self, ids):
        """The payloads when all are there, or at once that of an error among them; else None."""
        found = [self._entry(object_id).payload for object_id in ids]
        for payload in found:
            if payload is not None and payload.error:
                return [payload]
        return None if any(payload is None for payload in found) else found

    def _entry(self, object_id):
        entry = self.objects.get(object_id)
        if entry is None:
            raise ValueError(f"ObjectRef({object_id}) is of an earlier session: ray.shutdown() ended it, and its"
                             " objects are gone. Make it again after ray.init().")
        return entry

    def _done(self, ids):
        return [object_id for object_id in ids if self._entry(object_id).payload is not None]

    def _forget(self):
        while self.dropped:
            self._drop(self.dropped.popleft())
        while self.dropped_actors:
            self._let_go(self.dropped_actors.popleft())

    def _tidy(self):
        """Forgets dropped references and starts waiting tasks; not for the listening thread, which may not fork."""
        self._forget()
        while self.waiting_tasks and self._tasks_running() < _MOST_TASKS:
            actor, target = self.waiting_tasks.popleft()
            self._fork(actor, target)

    def _drop(self, object_id):
        entry = self.objects.get(object_id)
        if entry is None:
            return
        entry.count -= 1
        if entry.count <= 0:
            del self.objects[object_id]
            if entry.payload is not None:
                entry.payload.close()

    def _let_go(self, actor_id):
        """Lets the actor end after its queued calls, as no handle is left."""
        actor = self.actors.get(actor_id)
        if actor is not None and actor.dead is None:
            actor.leaving = True
            self._dispatch(actor)

    def _tasks_running(self):
        return sum(1 for a in self.actors.values() if a.info["task"] and a.link is not None and a.asked is None)

    def _claim_name(self, info):
        if info["name"] and self.named(info["name"]) is not None:
            raise exceptions.ActorAlreadyExistsError(
                f"The name {info['name']} is already taken. Please use a different name or get the existing actor"
                f" using ray.get_actor('{info['name']}')")

    def _fork(self, actor, target):
        inherited = [a.link for a in self.actors.values() if a.link is not None]
        ours, theirs = Link.pair()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            _spawn.child([ours, *inherited], self._payloads(), actor.info,
                         lambda: _worker.run(theirs, self.session, actor.id, actor.info, target))
        theirs.close()
        self._connected(actor, pid, ours)

    def _payloads(self):
        return [entry.payload for entry in self.objects.values() if entry.payload is not None]

    def _connected(self, actor, pid, link):
        actor.pid, actor.link = pid, link
        self.selector.register(link, selectors.EVENT_READ, actor)
        self._wake()
        self._dispatch(actor)

    def _wake(self):
        os.write(self.wake_write, b"x")

    def _submit(self, actor_id, call):
        actor = self.actors.get(actor_id)
        for object_id in call.needs:
            if object_id in self.objects:
                self.objects[object_id].count += 1
        if actor is None or actor.dead is not None:
            reason = actor.dead if actor else "The actor belongs to a session that ray.shutdown() ended."
            self._fail(call, exceptions.ActorDiedError(reason))
            return
        actor.queue.append(call)
        self._dispatch(actor)

    def _dispatch(self, actor):
        """Sends the next call of the queue if the worker is free and the arguments are there."""
        while actor.link is not None and actor.running is None and actor.queue and actor.dead is None:
            call = actor.queue[0]
            try:
                found = self._ready(call.needs)
            except ValueError as error:
                actor.queue.popleft()
                self._fail(call, error)
                continue
            if found is None:
                return
            actor.queue.popleft()
            if found and found[0].error:  # an argument's error fails the call
                self._store(call, [found[0]] * len(call.out), shared=True)
                continue
            self._send_call(actor, call, found)
        if actor.leaving and actor.running is None and not actor.queue and actor.dead is None and actor.link:
            self._notify(actor, ("exit",))
            actor.dead = "The actor is dead because all references to it were removed."

    def _send_call(self, actor, call, found):
        _standstill.wake(self, actor)
        actor.running = call
        fds = []
        wires = [payload.to_wire(fds) for payload in (call.payload, *found)]
        self._notify(actor, ("call", call.method, len(call.out), wires), fds)
        call.payload.close()
        self._drop_needs(call)

    def _drop_needs(self, call):
        for object_id in call.needs:
            self._drop(object_id)
        call.needs = []

    def _notify(self, actor, message, fds=()):
        try:
            actor.link.send(message, fds)
        except Closed:
            pass  # the listening thread sees it, too

    def _store(self, call, payloads, shared=False):
        for object_id, payload in zip(call.out, payloads):
            entry = self.objects.get(object_id)
            if shared:
                payload = payload.copy()
            if entry is None:
                payload.close()
            else:
                entry.payload = payload
        self._drop_needs(call)
        self._news()

    def _fail(self, call, error):
        self._store(call, [_objects.dump(error, error=True) for _ in call.out])

    def _news(self):
        """Continues everything that waited for an object or a worker's end."""
        self.last_news = time.monotonic()
        self.changed.notify_all()
        for actor in list(self.actors.values()):
            if actor.asked is not None:
                _answers.answer(self, actor)
            elif actor.queue and actor.running is None:
                self._dispatch(actor)

    def _end(self, actor, reason, kill=False):
        """Ends a worker that is gone or should go now."""
        actor.dead = actor.dead or reason
        if kill and actor.link is not None:
            self._ask_to_end(actor)
            timer = threading.Timer(kEndTimeout, self._kill_now, (actor,))
            timer.daemon = True
            timer.start()
        calls = ([actor.running] if actor.running else []) + list(actor.queue)
        actor.running, actor.asked, actor.joining = None, None, None
        _standstill.is_awake(self, actor)
        actor.queue.clear()
        for call in calls:
            self._fail(call, exceptions.WorkerCrashedError(actor.dead) if actor.info["task"]
                       else exceptions.ActorDiedError(actor.dead, actor.id))
        self._news()

    def _ask_to_end(self, actor):
        """Asks a worker to end, so that its rank leaves the run instead of vanishing."""
        if actor.running is None:
            self._notify(actor, ("exit",))
        else:
            _signal(actor.pid, _spawn.kDriverFailed if _tracebacks.program_failed else signal.SIGTERM)

    def _kill_now(self, actor):
        with self.lock:
            if actor.link is not None:  # otherwise its process is reaped, and the number may belong to another
                _signal(actor.pid, signal.SIGKILL)

    # ---- the listening thread ----

    def _listen(self):
        while not self.closed:
            with self.lock:
                self._forget()
                left = _answers.overdue(self)
            for key, _ in self.selector.select(left):
                if key.data is None:
                    os.read(self.wake_read, 4096)
                    continue
                actor = key.data
                try:
                    message, fds = actor.link.receive()
                except Closed:
                    self._gone(actor)
                    continue
                with self.lock:
                    _answers.handle(self, actor, message, fds)

    def _gone(self, actor):
        with self.lock:
            if actor.link is None:
                return
            self.selector.unregister(actor.link)
            actor.link.close()
            actor.link = None
            reason = "The actor died unexpectedly: " + _spawn.how_it_ended(actor.pid if actor.ours else None)
            self._end(actor, reason)
            if actor.info["task"]:
                del self.actors[actor.id]

    # ---- the end ----

    def shutdown(self):
        """Asks the workers to leave, and kills those that have not left after a while."""
        if os.getpid() != self.pid or self.closed:
            return
        with self.lock:
            actors = [a for a in self.actors.values() if a.link is not None]
            for actor in actors:
                actor.dead = actor.dead or "The actor is dead because ray.shutdown() was called."
        # Those that failed say so first. Then those that are in a call: they may wait for the others, who are not to
        # blame for leaving. But a rank whose call has just ended leaves only when all do: they are asked soon.
        busy = [a for a in actors if a.running is not None]
        failed = [a for a in actors if a.failed and a not in busy]
        for some, patience in (failed, kFirstTimeout), (busy, kFirstTimeout), (actors, kEndTimeout):
            until = time.monotonic() + patience
            with self.lock:
                for actor in (a for a in some if a.link is not None):
                    self._ask_to_end(actor)
                while time.monotonic() < until and any(a.link is not None for a in some):
                    self.changed.wait(0.05)
        for actor in actors:
            self._kill_now(actor)
        self.closed = True
        self._wake()
        self.thread.join(2)
        with self.lock:
            for actor in actors:
                if actor.link is not None:
                    actor.link.close()
                    _spawn.how_it_ended(actor.pid if actor.ours else None)
            for payload in self._payloads():
                payload.close()
            self.objects.clear()
        self.selector.close()
        os.close(self.wake_read)
        os.close(self.wake_write)


def _signal(pid, number):
    try:
        os.kill(pid, number)
    except (ProcessLookupError, TypeError):
        pass
