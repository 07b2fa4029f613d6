"""Errors for functions of torch.distributed that rankscope lacks, with the nearest one that it has."""

_NEAREST = {
    "all_reduce_coalesced": "all_reduce for each tensor",
    "all_gather_coalesced": "all_gather for each tensor",
    "reduce_scatter_tensor_coalesced": "reduce_scatter_tensor for each tensor",
    "all_gather_into_tensor_coalesced": "all_gather_into_tensor for each tensor",
    "broadcast_multigpu": "broadcast",
    "all_reduce_multigpu": "all_reduce",
    "reduce_multigpu": "reduce",
    "all_gather_multigpu": "all_gather",
    "reduce_scatter_multigpu": "reduce_scatter",
    "send_object_list": "pickle.dumps, a tensor of its bytes, and send",
    "recv_object_list": "recv, and pickle.loads of the tensor's bytes",
    "split_group": "new_group",
}


def install(c10d):
    for name, nearest in _NEAREST.items():
        if hasattr(c10d, name):
            setattr(c10d, name, _missing(name, nearest))


def _missing(name, nearest):
    def call(*args, **kwargs):
        raise NotImplementedError("rankscope has no torch.distributed.%s. Use %s instead." % (name, nearest))
    call.__name__ = name
    return call
