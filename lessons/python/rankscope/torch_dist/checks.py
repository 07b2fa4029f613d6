"""Helpers of all calls on a process group: the function of torch.distributed that was called, and checks of tensors and
operators.
"""
import ast
import sys

import torch

from .. import _native, _notes, _places, _syntax

c10d = None  # torch.distributed.distributed_c10d, once install() was called


INNER = 2  # "later", asked for by torch's own code and not by the program


def calling():
    """(the name of torch.distributed's function that leads to a group's method, whether it returns before the end).

    A group's method does not learn it from its arguments. C++ calls it without a function, and waits later."""
    frame = sys._getframe(2)
    name = ""
    while frame is not None and frame.f_globals.get("__name__", "").startswith("torch.distributed.") and \
            (frame.f_globals is c10d.__dict__ or frame.f_globals["__name__"].endswith("c10d_logger")):
        if frame.f_globals is c10d.__dict__:
            name = frame.f_code.co_name
            if name in ("send", "recv"):
                return name, False
            if "async_op" in frame.f_code.co_varnames:
                if not frame.f_locals["async_op"]:
                    return name, False
        frame = frame.f_back
    return name, INNER if frame is not None and _places.is_foreign(frame.f_code) else True


def is_first_release():
    """Returns whether this is a release like 1.13, whose gloo lacks some calls and whose new_group waits for all ranks."""
    return not hasattr(c10d, "_is_barrier_after_init")


_kNoWait = "with gloo it is False until wait() has returned"


def polled():
    """Notes that a program asks whether a message is completed: a mistake where a loop ends only by that."""
    file, line, _ = place = _places.innermost() or ("", 0, "")
    if not _ends_only_by_completion(file, line) or not _notes.remark(
            place, "this loop asks is_completed() of a message and would never end: " + _kNoWait,
            "gloo completes a send or a receive in its wait() only. Here it ended, since rankscope completes it.",
            "Call wait() instead of the loop."):
        _notes.warn("is_completed() of a message: %s, so that a loop which asks it does not end" % _kNoWait, "Call wait().")


def _ends_only_by_completion(file, line):
    """Returns whether a while loop at a line has no other condition than is_completed(), and no way out of its body."""
    tree = _syntax.tree_of(file)
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.While) or not node.lineno <= line <= node.test.end_lineno:
            continue
        asks = node.test.operand if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not) else None
        inside = [inner for part in node.body for inner in ast.walk(part)]
        return isinstance(asks, ast.Call) and getattr(asks.func, "attr", "") == "is_completed" and not any(
            isinstance(inner, (ast.Break, ast.Return, ast.Raise)) or getattr(inner, "attr", "") in ("wait", "exit")
            for inner in inside)
    return False


def overwriting(call, name, tensors):
    """Returns a function to be called with all ranks' data, one after another, if the list has one tensor several times: it
    reports an error where they differ, else a hint. None for tensors that are apart."""
    addresses = {tensor.data_ptr() for tensor in tensors if tensor.numel()}
    if len(tensors) < 2 or len(addresses) > 1 or not tensors[0].numel():
        return None
    place = _places.innermost() or ("", 0, "")

    def look(parts):
        equal = all(torch.equal(part, parts[0]) for part in parts[1:])
        what = "%s: all tensors of %s are one piece of memory ([t] * n), so that each rank's data overwrite the last" % (call, name)
        advice = "Give [torch.empty_like(t) for _ in range(n)]."
        if equal:
            _notes.remark(place, what, "All ranks' data were equal here, so that nothing is lost by it.", advice, harmless=True)
        else:
            _notes.warn(what, advice, "Of all ranks' data only the last rank's remain.", place=place)
    return look


def check_count(call, name, tensor, count, group):
    if tensor.numel() != count:
        raise _native.UsageError("%s: %s has %d elements where %d belong (%d ranks). Allocate it with the right size."
                                 % (call, name, tensor.numel(), count, group.comm.size))


def check_list(call, name, tensors, like, group):
    if len(tensors) != group.comm.size:
        raise _native.UsageError("%s: invalid %s (expected length %d, got %d). It needs one tensor for each rank of "
                                 "the group." % (call, name, group.comm.size, len(tensors)))
    for index, tensor in enumerate(tensors):
        if tensor.shape != like.shape:
            shape = tuple(like.shape)
            raise _native.UsageError(
                "%s: invalid tensor size at index %d of %s (expected %s, got %s). %s"
                % (call, index, name, shape, tuple(tensor.shape),
                   "All ranks' parts must have one size; pad the shorter ones." if tensor.numel() != like.numel() else
                   "Give tensors of one shape, as in tensor.reshape(%s)." % (shape,)))
        if tensor.dtype != like.dtype:
            raise _native.UsageError("%s: invalid tensor type at index %d of %s (expected %s, got %s)."
                                     % (call, index, name, like.dtype, tensor.dtype))


def check_contiguous(group, call, peer, *tensors):
    """Refuses a view with gaps, and notes it for the trace."""
    if all(tensor.is_contiguous() for tensor in tensors):
        return
    group.comm.note(_native.NOT_CONTIGUOUS, peer)
    if call in ("recv", "irecv"):
        advice = "Receive into a new tensor, e.g. buffer = torch.empty_like(tensor).contiguous(), and copy it: " \
                 "tensor.copy_(buffer)."
    else:
        advice = "Give tensor.contiguous(), and use that tensor until the call has ended."
    raise _native.UsageError("%s: the tensor has to be contiguous, but this one is a view with gaps (a column, a "
                             "transpose, a strided slice). %s" % (call, advice))


def check_memory_order(group, call, output, sources):
    """Refuses tensors whose memory gloo moves as it lies: views with gaps, and transposes of what the others have."""
    if any(source.stride() != output.stride() for source in sources if source.numel() > 1):
        check_contiguous(group, call, -1, output, *sources)


def dense_view(tensor, group, call):
    """A contiguous view of a dense tensor's memory: of a transpose, the matrix. Others are refused."""
    if tensor.layout != torch.strided:
        raise _native.UsageError("%s: rankscope moves dense tensors only, and this one is sparse. Give tensor.to_dense(), "
                                 "or make the embedding with sparse=False." % call)
    if tensor.is_contiguous():
        return tensor
    strides = tensor.stride()
    view = tensor.permute(sorted(range(tensor.dim()), key=lambda dim: -strides[dim]))
    check_contiguous(group, call, -1, view)
    return view


def plain(tensor):
    """The tensor without autograd, so that results can be copied into it."""
    return tensor.detach() if tensor.requires_grad else tensor


# ---- operators ----

def operator(op, dtype):
    """The number of a ReduceOp, and whether the type can do it."""
    name = getattr(getattr(op, "op", op), "name", None)
    code = _native.OPERATORS.get(str(name).lower())
    if code is None:
        raise NotImplementedError("rankscope has no reduction operator %s. There are SUM, AVG, PRODUCT, MIN, MAX, "
                                  "BAND, BOR and BXOR; scale the tensor yourself instead of PREMUL_SUM."
                                  % (name or repr(op)))
    if code >= _native.BAND and (dtype.is_floating_point or dtype.is_complex):
        raise _native.UsageError("Cannot use ReduceOp.%s with non-integral dtype %s; convert the tensor to an "
                                 "integer type first." % (name, dtype))
    if dtype.is_complex and code not in (_native.SUM, _native.AVG):
        raise _native.UsageError("all_reduce does not support %s on complex tensors" % name)
    return code


def reduction_copy(tensor, code):
    """The tensor in a type that the engine reduces: itself, a view, or a copy that has to be copied back."""
    dtype = tensor.dtype
    if dtype in (torch.float32, torch.float64, torch.int32, torch.int64, torch.uint8):
        return tensor
    if dtype.is_complex:
        return torch.view_as_real(tensor)
    if dtype in (torch.float16, torch.bfloat16):
        return tensor.to(torch.float32)
    if dtype in (torch.bool, torch.int8, torch.int16):
        return tensor.to(torch.int32)
    raise NotImplementedError("rankscope does not reduce tensors of %s. Convert it to float32 or int64 first."
                              % dtype)
