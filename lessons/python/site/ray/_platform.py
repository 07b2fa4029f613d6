"""What rankscope's collectives have to know of the stand-in."""

from rankscope import _process, _session

from . import _refs, _worker


class StandIn:
    _hooked = False

    def inside_worker(self):
        return isinstance(_refs.current_or_none(), _worker.Client)

    def actor_id(self):
        return _refs.current().actor_id

    def keep(self, key, value):
        _refs.current().keep(key, value)

    def kept(self, key):
        return _refs.current().kept(key)

    def program(self):
        return _session.program_name()

    def before_join(self):
        """A worker ends without Python's own exit, so the run is left by a hook."""
        if not StandIn._hooked:
            StandIn._hooked = True
            _worker.exit_hooks.append(_leave)


def _leave(problem):
    if problem is not None:
        _process.fail(problem if isinstance(problem, BaseException) else RuntimeError(problem))
    _process.leave_all()
