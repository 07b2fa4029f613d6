"""Mistakes of training: a model that is trained past its DistributedDataParallel, an optimizer that steps before the wait, samples
that count twice."""
import ast
import sys
import weakref
import zlib
from ast import unparse

import torch

from .. import _lost, _notes, _places, _syntax
from .._place import RANK
from .._syntax import called

_made = weakref.WeakKeyDictionary()  # wrapper -> the line that made it
_brought = {}  # address of what is broadcast -> the state that the last broadcast left
SMALL = torch.uint8, torch.int8, torch.int16
_EQUALIZERS = {"broadcast", "broadcast_object_list", "bcast", "all_gather", "scatter", "recv", "load_state_dict", "copy_",
               "DistributedDataParallel", "DDP", "vector_to_parameters"}  # calls that may bring parameters to other ranks
_NO_LOSS = {"detach", "no_grad", "item", "argmax", "tolist", "numpy", "data", "shape", "size", "len"}


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


def _state_of(parameters):
    """A sum over parameters' bytes, which are equal on all ranks of a model that is trained rightly."""
    found = 0
    for parameter in parameters:
        found = zlib.crc32(parameter.detach().cpu().contiguous().view(-1).float().numpy().tobytes(), found)
    return "%08x" % found


def report():
    """Warns of wrappers whose forward was never called, while their model has gradients; at the end of a rank's part."""
    for one, place in list(_made.items()):
        if place is None or getattr(one, "num_iterations", 1) or all(p.grad is None for p in one.parameters()):
            continue
        _notes.warn("the gradients of this DistributedDataParallel are not averaged: its forward was never called",
                    "Call the wrapper itself in the training step, model(x), not model.module(x).",
                    "The model inside was trained past it, and its parameters differ from rank to rank.", False,
                    _state_of(one.parameters()), place)
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
def unequal():
    """Looks at whether all ranks sum the gradients of parameters that differ, and that no line brings to other ranks."""
    frame, text, call = _lost._call_under_way("all_reduce", look="unequal")
    node = call.args[0] if call is not None and call.args and _syntax.argument(call, "group", 2) is None else None
    one = _syntax.evaluated(frame, node.value) if getattr(node, "attr", "") == "grad" else None
    inner = list(ast.walk(text.tree)) if isinstance(one, torch.nn.Parameter) else ()
    turns = {name for loop in inner if isinstance(loop, ast.For) for name in _syntax.names_in(loop.target)}
    if not inner or any(
            called(part) in _EQUALIZERS or getattr(part, "attr", "") == "data" and _syntax.name_of(part.value) != "grad" or
            called(part) == "all_reduce" and getattr(part.args[0], "id", "") in turns for part in inner):
        return
    line = next((part.lineno for part in inner if called(part) == "manual_seed" and RANK.search(unparse(part))), 0)
    _notes.remark((frame.f_code.co_filename, line or call.lineno),
                  f"the parameters differ from rank to rank when line {call.lineno} first sums their gradients" + (
                      ", and this line gives each rank its own random numbers" if line else ""),
                  "Equal gradients keep models equal that begin so; these never become equal, as no line sends the parameters.",
                  "Bring rank 0's to all before the training: for p in model.parameters(): dist.broadcast(p.data, src=0)" + (
                      f"; or give all ranks one seed in line {line} until the model is made." if line else "."),
                  state=_state_of([one]))


@_lost._never_stops
def overflow(own, tensor, work):
    """Looks at whether a sum over the ranks, of which `own` was this rank's part, is larger than a small type holds."""
    if (tensor < own if tensor.dtype == SMALL[0] else work != tensor).any():
        frame, kind = _places.user_frames()[0], str(tensor.dtype)
        made = [one.value.lineno for one in ast.walk(_syntax.tree_of(frame.f_code.co_filename)) if isinstance(one, ast.keyword) and
                one.arg == "dtype" and unparse(one.value) == kind]
        line = made[0] if len(made) == 1 else frame.f_lineno
        _notes.remark_at(frame, line, f"the sum over the ranks in line {frame.f_lineno} is larger than {kind} holds",
                         f"A larger number than {torch.iinfo(tensor.dtype).max} wraps around to a small or negative one.",
                         "Make it of torch.int32 there (dtype=torch.int32), or sum .to(torch.int32).")


@_lost._never_stops
def cut():
    """Looks at whether a loss is made of what an all_gather brings, which has no gradient."""
    frame, text, call = _lost._call_under_way("all_gather", look="cut")
    parts, at, given = _syntax.name_of(call.args[0]), text.statement(call), unparse(call.args[1])
    names, frames = {parts}, _places.user_frames()[:5]
    while not any(map(text.is_stored_to, _syntax.variables(text.node, parts))):  # this rank's own part may be put back
        scope, returned = _syntax.text_of(frames[0].f_code), isinstance(at, ast.Return)
        for later in [inner for one in scope.behind(at) for inner in ast.walk(one)]:
            value = getattr(later, "value", None)
            if called(later) == "backward" and _syntax.base_of(later.func) in names:
                return _notes.remark_at(
                    frame, call.lineno, f"{parts} has no gradients: backward in line {later.lineno} takes what all_gather brings "
                    "for constants", f"What {given} does to the loss by way of {parts}, here and on other ranks, is missing in "
                    "the gradients.", f"Import torch.distributed.nn.functional, and write {parts} = "
                    f"torch.distributed.nn.functional.all_gather({given}), which passes them on.")
            if isinstance(later, (ast.Assign, ast.AugAssign, ast.Return)) and names & set(_syntax.names_in(value)) and not any(
                    isinstance(one, ast.Compare) or _syntax.name_of(one) in _NO_LOSS for one in ast.walk(value)):
                names.add(_syntax.name_of(_syntax.target_of(later)))
                returned |= isinstance(later, ast.Return)
        if not returned or len(frames) < 2:
            break
        at, frames = _syntax.statements_of(frames[0], scope, at)[1][1], frames[1:]
        names = {_syntax.name_of(_syntax.target_of(at))}
    return None


def replaced(tensor):
    """Returns a look, to be taken after a broadcast, at whether it undoes what this rank has changed and its root has not."""
    if not tensor.is_floating_point() or tensor.numel() > 1 << 16 or len(_brought) > 4096:
        return None
    key, before = tensor.data_ptr(), _state_of([tensor])

    @_lost._never_stops
    def look():
        last, _brought[key] = _brought.get(key, before), _state_of([tensor])
        if before == last or _brought[key] != last:
            return
        frame, text, call = _lost._call_under_way("broadcast", look="replaced")
        root, loops = _syntax.argument(call, "src", 1), text.loops(call)
        index = {name for loop in loops for name in _syntax.names_in(_syntax.target_of(loop))} & set(_syntax.names_in(root))
        for one in ast.walk(text.tree):
            owner = one.left if isinstance(one, ast.Compare) and RANK.search(unparse(one.comparators[0])) and isinstance(
                one.ops[0], ast.Eq) else None
            if index & set(_syntax.names_in(owner)) and unparse(owner) != unparse(root):
                return _notes.remark_at(
                    frame, call.lineno, f"the broadcast from rank {unparse(root)} undoes what this rank has changed, rank "
                    f"{unparse(owner)} of line {one.lineno}", "The root sent what it had sent before, and this rank's was another by"
                    " then.", f"Write src={unparse(owner)} in line {call.lineno}.")
    return look


@_lost._never_stops
def padded(tensor):
    """Looks at whether a sum over the samples of a DistributedSampler, which repeats some, is divided by the number of samples."""
    frame, _, call = _lost._call_under_way("all_reduce", look="padded")
    name = _syntax.name_of(call.args[0]) if call is not None and call.args else ""
    flat, line = tensor.flatten()[:64].tolist(), getattr(call, "lineno", 0)
    for frame in _places.user_frames()[:3] if name else ():
        text = _syntax.text_of(frame.f_code)
        made = {_syntax.name_of(_syntax.target_of(node)): node for node in ast.walk(text.node) if isinstance(node, ast.Assign) and
                called(node.value) == "DistributedSampler" and node.value.args}
        for sampler, node in ((frame.f_locals.get(one), node) for one, node in made.items()):
            data = unparse(node.value.args[0])
            shares = [one for one in ast.walk(text.node) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) and
                      unparse(one.right) == f"len({data})" and name in map(_syntax.name_of, ast.walk(one.left))]
            shares = shares if _adds_all(text, _syntax.name_of(_syntax.target_of(node)), name) else ()
            if sampler.shuffle or _syntax.code_of(type(sampler.dataset).__len__) and shares:
                continue
            rows, most = len(sampler.dataset), sampler.total_size
            counts = sampler.num_samples in flat and most - sampler.num_replicas + sampler.rank >= rows and \
                not torch.is_grad_enabled()  # this rank's last sample is repeated, and it has counted all of them
            if most > rows and (shares or counts):
                _notes.remark_at(
                    frame, node.lineno, f"this sampler repeats {most - rows} of the {rows} samples, so that each rank has "
                    f"{sampler.num_samples}, and line " + (f"{shares[0].lineno} divides by {rows}" if shares else
                                                           f"{line} counts {most}"), "What is summed over the ranks counts"
                    " them once more.", f"Take every sample once: Subset({data}, range(rank, {rows}, {_notes.size()})) without a"
                    " sampler" + ("; or sum the number of samples, too, and divide by that." if shares else "."))


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
