"""rankscope's stand-in for Ray: actors and tasks are processes of this machine, and ray.util.collective is rankscope.

It is found first under `rankscope exec`. RANKSCOPE_RAY=real uses an installed Ray for everything but
ray.util.collective."""

import os as _os

if _os.environ.get("RANKSCOPE_RAY") == "real":
    from importlib import util as _util

    _spec = _util.spec_from_file_location("_rankscope_ray_aside", _os.path.join(_os.path.dirname(__file__), "_aside.py"))
    _aside = _util.module_from_spec(_spec)
    _spec.loader.exec_module(_aside)
    # The import of `ray` then takes the real one from sys.modules.
    _aside.use_real_ray(_os.path.dirname(_os.path.dirname(_os.path.abspath(__file__))))
else:
    from . import exceptions
    from ._actors import get_actor, kill, method, remote
    from ._refs import ObjectRef
    from ._start import (available_resources, cancel, cluster_resources, get, get_runtime_context, init,
                         is_initialized, nodes, put, shutdown, wait)
    from . import actor, util

    __version__ = "2.0.0+rankscope"
    WORKER_MODE, SCRIPT_MODE, LOCAL_MODE = 1, 0, 2

    class _Missing(NotImplementedError, AttributeError):
        """An error of both kinds, so that hasattr() still works."""

    def _missing(what, nearest):
        error = _Missing(f"{what} is not in rankscope's stand-in for Ray. {nearest}")
        error.lacks, error.nearest = f"rankscope's stand-in for Ray has no {what}", nearest
        return error

    def __getattr__(name):
        if name.startswith("_"):
            raise AttributeError(f"module 'ray' has no attribute '{name}'")
        raise _missing(f"ray.{name}", "It has init, shutdown, remote, get, put, wait, kill, get_actor and ray.util.collective."
                       " With RANKSCOPE_RAY=real an installed Ray is used.")
