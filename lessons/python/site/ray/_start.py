"""ray.init and ray.shutdown, and what a program does with references."""

import atexit
import os
import resource
import sys
import time

from rankscope import _lost, _notes

from . import _refs
from ._refs import ObjectRef, current, current_or_none

# A worker is forked from the program. OpenMP's threads do not survive that, so none may ever start.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


class Context(dict):
    """The result of ray.init."""

    dashboard_url = None
    address_info = {"address": "local"}

    def __repr__(self):
        return "<rankscope's stand-in for Ray: actors are processes of this machine>"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutdown()

    def disconnect(self):
        shutdown()


def init(address=None, *, ignore_reinit_error=False, **options):
    """The options choose resources, ports and logs of real Ray; here they change nothing."""
    if current_or_none() is not None:
        if ignore_reinit_error:
            return Context()
        raise RuntimeError("Maybe you called ray.init twice by accident? This error can be suppressed by passing in"
                           " 'ignore_reinit_error=True' or by calling 'ray.shutdown()' prior to 'ray.init()'.")
    if int(os.environ.get("RANKSCOPE_COPIES") or 1) > 1:
        raise RuntimeError("This program was started as several copies (rankscope exec -n), and each of them would"
                           " start all of Ray's actors. The actors are the ranks: start it without -n.")
    from ._hub import Hub
    _allow_many_descriptors()
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
    _refs.set_current(Hub())
    _notes.driver = True
    if options.get("logging_level") is None and not os.environ.get("RANKSCOPE_QUIET"):
        print("ray: this is rankscope's stand-in for Ray; actors are processes of this machine", file=sys.stderr,
              flush=True)
    return Context()


_refs.start = init


def _allow_many_descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = hard if hard != resource.RLIM_INFINITY else 1 << 20
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, 1 << 16), hard))
        except (ValueError, OSError):
            pass  # large objects are limited to the room that exists


@atexit.register
def shutdown(_exiting_interpreter=False):
    whom = current_or_none()
    if whom is None or not hasattr(whom, "shutdown"):  # a worker ends when the driver says so
        return
    _refs.set_current(None)
    whom.shutdown()


def is_initialized():
    return current_or_none() is not None


def put(value, **_):
    if isinstance(value, ObjectRef):
        raise TypeError("Calling 'put' on an ray.ObjectRef is not allowed. If you really want to do this, you can wrap"
                        " the ray.ObjectRef in a list and call 'put' on it.")
    return current().put(value)


def get(object_refs, *, timeout=None):
    if isinstance(object_refs, ObjectRef):
        begun = time.monotonic()
        found = current().get([object_refs], timeout)[0]
        _lost.got(time.monotonic() - begun)
        return found
    if not isinstance(object_refs, list):
        raise ValueError(f"Invalid type of object refs, {type(object_refs)}, is given. 'object_refs' must either be an"
                         " ObjectRef or a list of ObjectRefs.")
    for ref in object_refs:
        if not isinstance(ref, ObjectRef):
            raise TypeError(f"Attempting to call `get` on the value {ref!r:.80}, which is not an ray.ObjectRef.")
    return current().get(object_refs, timeout)


def wait(ray_waitables, *, num_returns=1, timeout=None, fetch_local=True):
    refs = ray_waitables
    if isinstance(refs, ObjectRef):
        raise TypeError("wait() expected a list of ray.ObjectRef, got a single ray.ObjectRef")
    if not isinstance(refs, list):
        raise TypeError(f"wait() expected a list of ray.ObjectRef, got {type(refs)}")
    if len(set(refs)) != len(refs):
        raise ValueError("Wait requires a list of unique ray_waitables.")
    if num_returns <= 0:
        raise ValueError("Invalid number of objects to return %d." % num_returns)
    if num_returns > len(refs):
        raise ValueError("num_returns cannot be greater than the number of ray_waitables provided to ray.wait.")
    done = set(current().wait(refs, num_returns, timeout))
    if len(done) > 1:
        _lost.waited()
    return [r for r in refs if r.hex() in done], [r for r in refs if r.hex() not in done]


def cancel(*_, **__):
    from . import _missing
    raise _missing("ray.cancel", "ray.kill(actor) ends an actor.")


class RuntimeContext:
    def get_actor_id(self):
        return getattr(current(), "actor_id", None)

    def get_actor_name(self):
        return getattr(current(), "info", {}).get("name")

    def get_job_id(self):
        return current().session[:8]

    def get_node_id(self):
        return "local"

    def get_worker_id(self):
        return str(os.getpid())

    def get_assigned_resources(self):
        return {"CPU": 1.0}


def get_runtime_context():
    return RuntimeContext()


def cluster_resources():
    return {"CPU": float(os.cpu_count() or 1)}


available_resources = cluster_resources


def nodes():
    return [{"NodeID": "local", "Alive": True, "Resources": cluster_resources()}]
