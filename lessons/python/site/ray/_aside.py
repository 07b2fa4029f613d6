"""RANKSCOPE_RAY=real: the installed Ray, of which only ray.util.collective is rankscope's."""

import atexit
import importlib.machinery
import importlib.util
import os
import sys
import threading
import time

_kModule = "ray.util.collective.collective"
_kLook = 0.05    # seconds between two looks
_kLongest = 5.0  # seconds in which ranks that the driver ends may leave


def use_real_ray(site):
    """Loads the real package in place of ours, which is being imported from the folder `site`."""
    site = os.path.realpath(site)
    path = [entry for entry in sys.path if os.path.realpath(entry or ".") != site]
    spec = importlib.machinery.PathFinder.find_spec("ray", path)
    if spec is None or spec.loader is None:
        raise ImportError("RANKSCOPE_RAY=real is set, but no Ray is installed for this Python. Install it (python3 -m"
                          " pip install ray), or unset RANKSCOPE_RAY to use rankscope's stand-in.")
    sys.meta_path.insert(0, _Finder)
    module = importlib.util.module_from_spec(spec)
    sys.modules["ray"] = module
    spec.loader.exec_module(module)
    _end_ranks_first(module)


# ---- the end: Ray kills its workers when the driver ends, so their ranks leave the run before that ----

def _kv():
    from ray.experimental import internal_kv
    return internal_kv


def _key(what):
    return ("rankscope/%s/%s/" % (sys.modules["ray"].get_runtime_context().get_job_id(), what)).encode()


def _end_ranks_first(ray):
    real = ray.shutdown

    def shutdown(*args, **kwargs):
        _end_ranks(ray)
        return real(*args, **kwargs)
    ray.shutdown = shutdown
    atexit.register(_end_ranks, ray)  # is called before Ray's own


def _end_ranks(ray):
    """In the driver: asks all ranks to leave, and waits for those that can."""
    if not ray.is_initialized() or ray._private.worker.global_worker.mode != ray.SCRIPT_MODE:
        return
    members = {key: int(_kv()._internal_kv_get(key) or 0) for key in _kv()._internal_kv_list(_key("rank"))}
    if not members:
        return
    _kv()._internal_kv_put(_key("ends"), b"1")
    end = time.monotonic() + _kLongest
    while time.monotonic() < end and any(os.path.exists("/proc/%d" % process) and _kv()._internal_kv_exists(key)
                                         for key, process in members.items()):
        time.sleep(_kLook)


def _leave_when_asked(key):
    """In a worker: a thread that ends its ranks' part once the driver asks for it and no call is under way."""
    from rankscope import _session
    while not _kv()._internal_kv_get(_key("ends")):
        time.sleep(_kLook)
    for session in list(_session.sessions):
        if session.world.lock.acquire(timeout=_kLongest / 5):
            session.world.lock.release()
            session.leave()
    _kv()._internal_kv_del(key)


class _Finder:
    """Lets the real module load, then puts our functions into it."""

    @staticmethod
    def find_spec(name, path, target=None):
        if name != _kModule:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def load_and_replace(module):
            from rankscope.ray_collective import Collectives
            load(module)
            vars(module).update(Collectives(_RealRay()).functions())

        spec.loader.exec_module = load_and_replace
        return spec


class _RealRay:
    """Ray itself as rankscope's collectives see it."""

    _watches = None  # the process whose ranks leave when the driver ends

    def _ray(self):
        return sys.modules["ray"]

    def inside_worker(self):
        ray = self._ray()
        return ray._private.worker.global_worker.mode == ray.WORKER_MODE

    def actor_id(self):
        return self._ray().get_runtime_context().get_actor_id()

    def keep(self, key, value):
        import pickle
        from ray.experimental import internal_kv
        if value is None:
            internal_kv._internal_kv_del(key.encode())
            return
        size, ranks = value
        ranks = {getattr(actor, "hex", lambda: actor)(): rank for actor, rank in ranks.items()}
        internal_kv._internal_kv_put(key.encode(), pickle.dumps((size, ranks)))

    def kept(self, key):
        import pickle
        from ray.experimental import internal_kv
        found = internal_kv._internal_kv_get(key.encode())
        return pickle.loads(found) if found else None

    def joins(self, group, size, rank):
        """Only the stand-in knows which calls can come."""

    def joined(self, group):
        if self._watches != os.getpid():
            self._watches = os.getpid()
            key = _key("rank") + str(os.getpid()).encode()
            _kv()._internal_kv_put(key, str(os.getpid()).encode())
            thread = threading.Thread(target=_leave_when_asked, args=(key,), name="rankscope-end", daemon=True)
            thread.rankscope_own = True
            thread.start()

    def left(self, group):
        """See joins()."""

    def program(self):
        return "ray"
