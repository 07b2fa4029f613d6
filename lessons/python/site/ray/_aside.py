"""RANKSCOPE_RAY=real: the installed Ray, of which only ray.util.collective is rankscope's."""

import importlib.machinery
import importlib.util
import os
import sys

_kModule = "ray.util.collective.collective"


def use_real_ray(site):
    """Puts the real package in the place of the one that is being imported. `site` is the folder of ours."""
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
        """See joins()."""

    left = joined

    def program(self):
        return "ray"
