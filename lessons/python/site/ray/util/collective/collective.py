"""ray.util.collective.collective: see rankscope.ray_collective."""

from rankscope.ray_collective import Collectives

from . import types
from ..._platform import StandIn

__all__ = ["types"]

_functions = Collectives(StandIn()).functions()
globals().update(_functions)
__all__ += list(_functions)
