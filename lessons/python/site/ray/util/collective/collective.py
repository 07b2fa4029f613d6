"""ray.util.collective.collective: see rankscope.ray_collective."""

from rankscope.ray_collective import Collectives

from . import types
from ..._platform import PlatformStub

__all__ = ["types"]

_functions = Collectives(PlatformStub()).functions()
globals().update(_functions)
__all__ += list(_functions)
