"""The worker's side: carries out calls one after another, and asks the driver's hub for everything else."""

import asyncio
import collections
import inspect
import os
import pickle
import sys
import threading

from rankscope import _places, _session, _tracebacks

from . import _objects, _refs, _spawn, exceptions
from ._refs import ObjectRef, new_id
from ._wire import Closed, Link


class ActorExit(BaseException):
    """Raised by ray.actor.exit_actor()."""


class Client:
    """A worker's access to the hub, with the hub's methods."""

    def __init__(self, link, session, actor_id, info):
        self.link, self.session, self.actor_id, self.info = link, session, actor_id, info
        self.lock = threading.RLock()
        self.dropped, self.dropped_actors = collections.deque(), collections.deque()

    def _notify(self, *message, fds=()):
        with self.lock:
            objects, actors = self._take(self.dropped), self._take(self.dropped_actors)
            if objects or actors:
                self.link.send(("drop", objects, actors))
            self.link.send(message, fds)

    @staticmethod
    def _take(queue):
        return [queue.popleft() for _ in range(len(queue))]

    say = _notify

    def _ask(self, *message, fds=()):
        with self.lock:
            self._notify(*message, fds=fds)
            (_, answer), got = self.receive()
        return answer, got

    def receive(self):
        """The hub's next message, after those on whether this worker's ranks count as asleep (see _standstill)."""
        message, fds = self.link.receive()
        while message[0] in ("asleep", "awake"):
            _session.set_idle(*message[1:])
            if message[0] == "awake":
                self._notify("awake")
            message, fds = self.link.receive()
        return message, fds

    def report_threads(self):
        if len(_session.program_threads()) > 1:
            self._notify("threads")

    def get(self, refs, timeout):
        self.report_threads()
        wires, fds = self._ask("get", [ref.hex() for ref in refs], timeout, _places.innermost())
        return _values(wires, fds)

    def wait(self, refs, count, timeout):
        self.report_threads()
        return self._ask("wait", [ref.hex() for ref in refs], count, timeout, _places.innermost())[0]

    def put(self, value):
        object_id, fds, payload = new_id(), [], _objects.dump(value)
        self._notify("put", object_id, payload.to_wire(fds), fds=fds)
        payload.close()
        return ObjectRef(object_id, self.session)

    def submit(self, actor_id, method, args, refs, returns):
        out, fds, payload = [new_id() for _ in range(returns)], [], _objects.dump(args)
        self._ask("call", actor_id, method, out, [ref.hex() for ref in refs], payload.to_wire(fds), fds=fds)
        payload.close()
        return [ObjectRef(object_id, self.session) for object_id in out]

    def start(self, info, target):
        if info["name"] and self.named(info["name"]):
            raise exceptions.ActorAlreadyExistsError(f"The name {info['name']} is already taken.")
        actor_id = new_id()
        ours, theirs = Link.pair()
        pid = os.fork()
        if pid == 0:
            _spawn.child([ours, self.link], [], info, lambda: run(theirs, self.session, actor_id, info, target))
        theirs.close()
        self._notify("started", actor_id, info, pid, fds=[ours.fileno()])
        ours.close()
        return actor_id

    def kill(self, actor_id):
        self._notify("kill", actor_id)

    def named(self, name):
        return self._ask("named", name)[0]

    def pin(self, object_id):
        self._notify("pin", object_id)

    def keep(self, key, value):
        self._notify("keep", key, value)

    def kept(self, key):
        return self._ask("kept", key)[0]


def _values(wires, fds):
    payloads = [_objects.Payload.from_wire(wire, fds) for wire in wires]
    try:
        return [payload.value() for payload in payloads]
    finally:
        for payload in payloads:
            payload.close()


def run(link, session, actor_id, info, target):
    """Carries out calls until the hub ends this worker, or is gone."""
    client = Client(link, session, actor_id, info)
    _refs.set_current(client)
    worker = _Worker(client, target)
    problem = None
    try:
        while worker.next():
            pass
    except Closed:
        problem = "the driver is gone"
    except _spawn.Ended as end:  # the driver did not wait for the running call; not this rank's mistake
        if end.driver_failed:
            _session.end_for_no_fault("the driver failed while this rank was in a call", end.__traceback__)
    _leave_the_run(problem or worker.failure)


def _leave_the_run(problem):
    """Leaves the run, since a worker ends without Python's own exit."""
    process = sys.modules.get("rankscope._process")
    if process is None:
        return
    if problem is not None:
        process.fail(problem if isinstance(problem, BaseException) else RuntimeError(problem))
    process.leave_all()


class _Unpickler(pickle.Unpickler):
    """Unpickles arguments; a class of the program that is missing here was defined after the fork."""

    def find_class(self, module, name):
        try:
            return super().find_class(module, name)
        except AttributeError as error:
            if module != "__main__":
                raise
            raise AttributeError(f"{error}: this worker was started before that was defined. Define it first, then"
                                 " make the actor.") from None


class _Worker:
    def __init__(self, client, target):
        self.client, self.target, self.instance = client, target, None
        self.failure = None  # the last call's error; later work is not part of that call

    def next(self):
        """Carries out one call; False when no more will come."""
        (kind, *call), fds = self.client.receive()
        if kind == "exit":
            return False
        try:
            results = self._carry_out(*call, fds)
        except (ActorExit, SystemExit) as end:
            self.client._notify("leaves", "The actor is dead because it left: " + (
                "ray.actor.exit_actor()." if isinstance(end, ActorExit) else f"SystemExit({end.code})."))
            return False
        out = []
        self.client.report_threads()
        self.client._notify("done", [payload.to_wire(out) for payload in results], fds=out)
        for payload in results:
            payload.close()
        return True

    def _carry_out(self, method, returns, wires, fds):
        name = self._name(method)
        try:
            args, kwargs = self._arguments(wires, fds)
            value = self._function(method)(*args, **kwargs)
            if inspect.iscoroutine(value):
                value = asyncio.run(value)
            if method == "__init__":
                self.instance, value = value, None
            values = [value] if returns == 1 else self._several(value, returns)
            self.failure = None
            return [_objects.dump_anyway(v) for v in values]
        except (ActorExit, SystemExit, _spawn.Ended, Closed):
            raise
        except BaseException as error:
            self.failure = error
            return [_objects.dump(self._failed(name, method, error), error=True)] * max(1, returns)
        finally:
            sys.stdout.finish()
            sys.stderr.finish()

    def _name(self, method):
        return self.client.info["class"] + ("" if self.client.info["task"] else f".{method}") + "()"

    def _arguments(self, wires, fds):
        payloads = [_objects.Payload.from_wire(wire, fds) for wire in wires]
        try:
            (args, kwargs), *values = [payload.load(_Unpickler) for payload in payloads]
        finally:
            for payload in payloads:
                payload.close()
        return _refs.put_values(args, kwargs, values)

    def _function(self, method):
        if self.client.info["task"] or method == "__init__":
            return self.target
        return getattr(self.instance, method)

    def _several(self, value, returns):
        values = list(value) if returns else []
        if len(values) != returns:
            raise ValueError(f"Task returned {len(values)} objects, but num_returns={returns}.")
        return values

    def _failed(self, name, method, error):
        text = _tracebacks.formatted(error)
        failure = exceptions.RayTaskError(name, text, error)
        if method == "__init__" and not self.client.info["task"]:
            text = f"The actor died because of an error raised in its creation task, {failure}"
            print("Exception raised in creation task:", text, file=sys.stderr)
            return exceptions.ActorDiedError(text, self.client.actor_id)
        return failure
