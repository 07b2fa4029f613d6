"""Mistakes of training: a model that is trained past its DistributedDataParallel, an optimizer that steps before the wait, samples
that count twice."""
import ast
import sys
import weakref
import zlib
from ast import unparse

from .. import _lost, _notes, _places, _syntax
from .._syntax import called

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


@_lost._never_stops
def begun(tensor):
    """Looks at whether an optimizer steps before the wait for what sums its gradients in the background."""
    frame, text, call = _lost._call_under_way("all_reduce", look="begun")
    for scope, at, where in _syntax.statements_of(frame, text, text.statement(call)) if call is not None else ():
        for later in scope.behind(at):
            if _syntax.waits_for(text.tree, later):
                return
            step = later.value if isinstance(later, ast.Expr) and called(later.value) == "step" else None
            groups = getattr(_syntax.evaluated(where, getattr(getattr(step, "func", None), "value", None)), "param_groups", ())
            if any(one.grad is tensor for group in groups for one in group["params"]):
                _notes.remark_at(
                    where, later.lineno, f"{unparse(step)} uses gradients that the all_reduce in line {call.lineno} may still be "
                    "summing", "It runs in the background until its wait() has returned: until then a gradient is this rank's own,"
                    " or half a sum, and the ranks' parameters part.", f"Wait for all of them before line {later.lineno}.")
                return


@_lost._never_stops
def padded():
    """Looks at whether a sum over the samples of a DistributedSampler, which repeats some, is divided by the number of samples."""
    frame, _, call = _lost._call_under_way("all_reduce", look="padded")
    name = _syntax.name_of(call.args[0]) if call is not None and call.args else ""
    for frame in _places.user_frames()[:3] if name else ():
        text = _syntax.text_of(frame.f_code)
        made = {_syntax.name_of(_syntax.target_of(node)): node for node in ast.walk(text.node) if isinstance(node, ast.Assign) and
                called(node.value) == "DistributedSampler" and node.value.args}
        for sampler, node in ((frame.f_locals.get(one), node) for one, node in made.items()):
            data = unparse(node.value.args[0])
            shares = [one for one in ast.walk(text.node) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) and
                      unparse(one.right) == f"len({data})" and name in map(_syntax.name_of, ast.walk(one.left))]
            if not shares or sampler.shuffle or _syntax.code_of(type(sampler.dataset).__len__) or \
                    not _adds_all(text, _syntax.name_of(_syntax.target_of(node)), name):
                continue
            rows, more = len(sampler.dataset), sampler.total_size - len(sampler.dataset)
            if more > 0:
                _notes.remark_at(
                    frame, node.lineno, f"this sampler repeats {more} of the {rows} samples, so that each rank has "
                    f"{sampler.num_samples}, and line {shares[0].lineno} divides by {rows}", "What is summed over the ranks counts"
                    " them once more.", f"Take every sample once: Subset({data}, range(rank, {rows}, {_notes.size()})) without a"
                    " sampler; or sum the number of samples, too, and divide by that.")


def _adds_all(text, sampler, total):
    """Returns whether a sum is made of all that a sampler gives: by an expression, or by a loop that adds without a condition."""
    given = [(one, _syntax.base_of(_syntax.target_of(one)), set(_syntax.names_in(one.value))) for one in ast.walk(text.node)
             if isinstance(one, (ast.Assign, ast.AugAssign))]
    loaders, parts = {sampler, *(name for _, name, used in given if sampler in used)}, {total}
    for _, name, used in given[::-1]:
        parts |= used if name in parts else set()
    for loop in ast.walk(text.node):
        if isinstance(loop, ast.For) and loaders & set(_syntax.names_in(loop.iter)):
            inner = list(ast.walk(loop))
            adds = [one for one in inner if isinstance(one, ast.AugAssign) and _syntax.base_of(one.target) in parts or called(one) in (
                "add_", "append") and _syntax.base_of(one.func) in parts]
            if adds and not any(isinstance(one, (ast.If, ast.Break)) and (
                    isinstance(one, ast.Break) or set(adds) & set(ast.walk(one))) for one in inner):
                return True
    return any(name in parts - loaders | {total} and loaders & used and not any(getattr(inner, "ifs", ()) for inner in ast.walk(one))
               for one, name, used in given)
