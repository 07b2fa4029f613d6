"""ray.util.collective: messages and collectives between actors."""

from . import collective, types
from .collective import *  # noqa: F403
