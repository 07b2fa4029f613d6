"""What rankscope's collectives have to know of the stand-in."""

from rankscope import _session

from . import _refs, _worker


class PlatformStub:
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
