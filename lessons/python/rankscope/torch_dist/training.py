"""A model that is wrapped in DistributedDataParallel and trained past the wrapper: nothing averages its gradients."""
import sys
import weakref
import zlib

from .. import _notes, _places

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


def _state_of(model):
    """A sum over the parameters' bytes, which are equal on all ranks of a model that is trained rightly."""
    found = 0
    for parameter in model.parameters():
        whole = parameter.detach().cpu().contiguous().view(-1)
        found = zlib.crc32(bytes(whole.float().numpy().tobytes()), found)
    return "%08x" % found


def report():
    """Warns of wrappers whose forward was never called, while their model has gradients; at the end of a rank's part."""
    for one, place in list(_made.items()):
        if place is None or getattr(one, "num_iterations", 1) or all(p.grad is None for p in one.parameters()):
            continue
        _notes.warn("the gradients of this DistributedDataParallel are not averaged: its forward was never called",
                    "Call the wrapper itself in the training step, model(x), not model.module(x).",
                    "The model inside was trained past it, and its parameters differ from rank to rank.", False, _state_of(one),
                    place)
    _made.clear()
