"""Process groups: torch's own class with one of our communicators behind it, and the checks that all calls share."""
import torch
from torch._C._distributed_c10d import ProcessGroup

from .. import _memory, _native

c10d = None  # torch.distributed.distributed_c10d, once install() was called


class Group(ProcessGroup):
    """A process group of torch. `ranks` are its global ranks, in its own order."""

    def __init__(self, comm, ranks, title):
        super().__init__(comm.rank, comm.size)
        self.comm = comm
        self.ranks = ranks
        self.title = title
        self.is_world = ranks == list(range(len(ranks))) and title == "default"
        self._locals = {rank: index for index, rank in enumerate(ranks)}

    def name(self):
        return "gloo"

    @property
    def group_name(self):
        return self.title

    @property
    def group_desc(self):
        return "rankscope"

    def __repr__(self):
        return "<process group %s of ranks %s>" % (self.title, self.ranks)

    def local_rank(self, rank, what):
        """The group's own number of a global rank."""
        rank = _native.as_rank(rank, what)
        if self.is_world and not 0 <= rank < len(self.ranks):
            raise _native.UsageError("%s: rank %d does not exist in a group of %d ranks (0 to %d). The neighbours in a "
                                     "ring are (rank + 1) %% size and (rank - 1) %% size.%s"
                                     % (what, rank, len(self.ranks), len(self.ranks) - 1,
                                        " Without src, a message of any rank is taken." if what == "src" else ""))
        local = self._locals.get(rank)
        if local is None:
            raise _native.UsageError("%s=%r is not in this group, which has the global ranks %s. Ranks are global "
                                     "ones even with a group; give group_%s for the group's own numbers."
                                     % (what, rank, self.ranks, what))
        return local


# ---- torch's own records of groups ----

def add_group(group):
    c10d._pg_map[group] = ("gloo", None)
    c10d._pg_names[group] = group.title
    c10d._pg_group_ranks[group] = dict(group._locals)
    backends = getattr(c10d, "_pg_backend_config", None)
    if isinstance(backends, dict):
        backends[group] = "cpu:gloo"


def set_default(group):
    update = getattr(c10d, "_update_default_pg", None)
    if update is not None:
        update(group)
    else:
        c10d.GroupMember.WORLD = group
        c10d.group.WORLD = group


def remove_group(group):
    for attribute in ("_pg_map", "_pg_names", "_pg_group_ranks", "_pg_backend_config"):
        known = getattr(c10d, attribute, None)
        if isinstance(known, dict):
            known.pop(group, None)


def remove_all():
    for group in list(c10d._pg_map):
        remove_group(group)
    set_default(None)


def resolve(group, what):
    """Our group of a call's argument; None (after a warning, as torch does it) on a rank that is not in it."""
    if group is None or group is c10d.GroupMember.WORLD:
        return default_group()
    if isinstance(group, Group):
        if not group.comm.handle:
            raise _native.UsageError("This process group was destroyed. Create it again with new_group.")
        return group
    if group is c10d.GroupMember.NON_GROUP_MEMBER or group == c10d.GroupMember.NON_GROUP_MEMBER:
        c10d._warn_not_in_group(what)
        return None
    raise _native.UsageError("%s: group=%r is no process group. Give what new_group returned, or nothing for all "
                             "ranks." % (what, group))


def default_group():
    group = c10d.GroupMember.WORLD
    if group is None:
        # torch's own check raises the exception of its release; the text below is torch's, too.
        c10d._get_default_group()
        raise RuntimeError("Default process group has not been initialized, please make sure to call "
                           "init_process_group.")
    if not group.comm.session.open:
        raise _native.UsageError("This process is no rank of the run: it was forked from one, or has left. Call "
                                 "init_process_group here.")
    return group


# ---- memory ----

def check_tensor(tensor, name):
    if not isinstance(tensor, torch.Tensor):
        c10d._check_single_tensor(tensor, name)


def check_list(tensors, name):
    if not isinstance(tensors, (list, tuple)) or not all(isinstance(t, torch.Tensor) for t in tensors):
        c10d._check_tensor_list(tensors, name)


def memory_of(tensor, group):
    return _memory.of_tensor(tensor, group.comm.session.full_trace)


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


def dense_view(tensor, group, call):
    """A contiguous view of a dense tensor's memory: of a transpose, the matrix. Others are refused."""
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
