"""A model that is wrapped in DistributedDataParallel and trained past the wrapper: nothing averages its gradients."""
import sys
import warnings
import weakref

from .. import _places

_made = weakref.WeakKeyDictionary()  # wrapper -> the line that made it


def watch():
    """Notes where wrappers are made, once torch has loaded their class."""
    module = sys.modules.get("torch.nn.parallel.distributed")
    wrapper = getattr(module, "DistributedDataParallel", None)
    if wrapper is None or getattr(wrapper.__init__, "rankscope_real", None):
        return
    real = wrapper.__init__

    def made(self, *args, **kwargs):
        real(self, *args, **kwargs)
        _made[self] = _places.innermost()
    made.rankscope_real = real
    wrapper.__init__ = made


def report():
    """Warns of wrappers whose forward was never called, while their model has gradients; at the end of a rank's part."""
    for one, place in list(_made.items()):
        if place is None or getattr(one, "num_iterations", 1) or all(p.grad is None for p in one.parameters()):
            continue
        warnings.warn_explicit(
            "the gradients of this DistributedDataParallel are not averaged: its forward was never called, and the model"
            " inside was trained past it. Call the wrapper itself in the training step, model(x), not model.module(x).",
            UserWarning, *place[:2])
    _made.clear()
