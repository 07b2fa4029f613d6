"""The stand-in as rankscope's collectives see it."""

from rankscope import _places, _session

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

    def joins(self, group, size, rank):
        self._say("joins", group, size, rank, _places.innermost())

    def joined(self, group):
        self._say("joined", group)

    def left(self, group):
        self._say("left", group)

    def _say(self, *message):
        if self.inside_worker():
            _refs.current().say(*message)

    def program(self):
        return _session.program_name()
