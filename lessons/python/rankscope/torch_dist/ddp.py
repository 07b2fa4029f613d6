"""DistributedDataParallel by gradient hooks.

Parameters and buffers are broadcast from rank 0 at construction. During backward, gradients are collected in buckets
(from the last parameter to the first, as they become ready), and each bucket is averaged by one all_reduce that runs
while backward goes on.
"""
import contextlib

import torch
from torch.nn.modules import Module

from .. import _native
from .._comm import Request
from . import groups


def install(module):
    """`module` is torch.nn.parallel.distributed, freshly loaded."""
    module.DistributedDataParallel = DistributedDataParallel


class _Bucket:
    def __init__(self, parameters):
        self.parameters = parameters
        self.waiting = len(parameters)
        self.reduced = None  # the gradients one after the other
        self.request = None


class DistributedDataParallel(Module):
    """Trains `module` on every rank with gradients that are averaged over all ranks."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0, broadcast_buffers=True, init_sync=True,
                 process_group=None, bucket_cap_mb=25, find_unused_parameters=False, check_reduction=False,
                 gradient_as_bucket_view=False, static_graph=False, **others):
        super().__init__()
        self._check(module, device_ids, output_device)
        self.module = module
        self.device = torch.device("cpu")
        self.device_ids = None
        self.output_device = None
        self.dim = dim
        self.broadcast_buffers = broadcast_buffers
        self.find_unused_parameters = find_unused_parameters or static_graph
        self.require_backward_grad_sync = True
        self.process_group = groups.resolve(process_group, "DistributedDataParallel")
        if self.process_group is None:
            raise _native.UsageError("DistributedDataParallel: this rank is not in process_group.")
        self._cap = int((bucket_cap_mb or 25) * 1024 * 1024)
        if init_sync:
            self._broadcast(list(module.parameters()) + list(module.buffers()))
        self._accumulators = []  # the hooks live as long as these
        self._owner = {}
        self._unfinished = False
        self._armed = False  # a forward pass arms the hooks for one backward pass
        self._begin()
        self._add_hooks()

    @staticmethod
    def _check(module, device_ids, output_device):
        if not any(parameter.requires_grad for parameter in module.parameters()):
            raise _native.UsageError("DistributedDataParallel is not needed when a module doesn't have any parameter "
                                     "that requires a gradient.")
        if device_ids or output_device is not None:
            raise _native.UsageError(
                "DistributedDataParallel device_ids and output_device arguments only work with GPU modules, but the "
                "parameters are on the CPU (device_ids=%s). Leave device_ids out." % (device_ids,))
        if any(parameter.device.type != "cpu" for parameter in module.parameters()):
            raise _native.UsageError("DistributedDataParallel: under rankscope, models are on the CPU. Move the model "
                                     "there with model.cpu().")

    # ---- from rank 0 to all ----

    def _broadcast(self, tensors):
        comm = self.process_group.comm
        for tensor in tensors:
            plain = tensor.detach()
            packed = plain.contiguous()
            memory = groups.memory_of(packed, self.process_group)
            comm.run_collective(b"broadcast", memory if comm.rank == 0 else None, memory)
            if packed.data_ptr() != plain.data_ptr():
                plain.copy_(packed)

    # ---- forward ----

    def forward(self, *inputs, **kwargs):
        if torch.is_grad_enabled() and self.require_backward_grad_sync:
            if self._unfinished:
                raise RuntimeError(
                    "Expected to have finished reduction in the prior iteration before starting a new one. Some "
                    "parameters got no gradient: their values were not used for the loss. Pass "
                    "find_unused_parameters=True to DistributedDataParallel, or use all outputs of the module.")
            self._begin()
            self._armed = True
            if self.broadcast_buffers:
                self._broadcast(list(self.module.buffers()))
        return self.module(*inputs, **kwargs)

    @contextlib.contextmanager
    def no_sync(self):
        """Backward passes inside only add up gradients; the first one outside averages the sums."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    # ---- backward ----

    def _begin(self):
        """Makes buckets of the parameters in reverse order, as the last layers' gradients are ready first."""
        self._buckets = []
        self._next = 0
        self._hooks_ran = False
        self._owner.clear()
        parameters = [parameter for parameter in self.module.parameters() if parameter.requires_grad]
        group, size = [], 0
        for parameter in reversed(parameters):
            bytes_ = parameter.numel() * parameter.element_size()
            if group and (size + bytes_ > self._cap or parameter.dtype != group[0].dtype):
                self._add_bucket(group)
                group, size = [], 0
            group.append(parameter)
            size += bytes_
        self._add_bucket(group)

    def _add_bucket(self, parameters):
        bucket = _Bucket(parameters)
        self._buckets.append(bucket)
        for parameter in parameters:
            self._owner[id(parameter)] = bucket

    def _add_hooks(self):
        for parameter in self.module.parameters():
            if not parameter.requires_grad:
                continue
            # Runs after the gradient was added to .grad, so that no_sync's sums are averaged as well.
            accumulator = parameter.expand_as(parameter).grad_fn.next_functions[0][0]
            accumulator.register_hook(self._make_hook(parameter))
            self._accumulators.append(accumulator)

    def _make_hook(self, parameter):
        def hook(*_):
            if self._armed and self.require_backward_grad_sync:
                self._ready(parameter)
        return hook

    def _ready(self, parameter):
        if not self._hooks_ran:
            self._hooks_ran = True
            torch.autograd.Variable._execution_engine.queue_callback(self._finish)
        bucket = self._owner[id(parameter)]
        bucket.waiting -= 1
        # The same order on all ranks, whatever order gradients become ready in.
        while self._next < len(self._buckets) and self._buckets[self._next].waiting <= 0:
            self._start(self._buckets[self._next])
            self._next += 1

    def _start(self, bucket):
        parts = [parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
                 for parameter in bucket.parameters]
        work = groups.reduction_copy(torch.cat([part.detach().reshape(-1) for part in parts]), _native.AVG)
        bucket.reduced = work
        comm = self.process_group.comm
        memory = groups.memory_of(work, self.process_group)
        handle = comm.run_collective(b"allreduce", memory, memory, _native.AVG, background=True)
        bucket.request = Request(comm, handle, work)

    def _finish(self):
        """Waits at the end of backward for all buckets, and gives the parameters the averages."""
        if self.find_unused_parameters:
            for bucket in self._buckets[self._next:]:
                self._start(bucket)
            self._next = len(self._buckets)
        for bucket in self._buckets[:self._next]:
            bucket.request.wait()
            parts = bucket.reduced.split([parameter.numel() for parameter in bucket.parameters])
            for parameter, part in zip(bucket.parameters, parts):
                average = part.view(parameter.shape).to(parameter.dtype)
                if parameter.grad is None:
                    parameter.grad = average.clone()
                else:
                    parameter.grad.detach().copy_(average)
        self._unfinished = self._next < len(self._buckets)
        self._armed = False
        self._begin()

    # ---- not supported ----

    def join(self, *args, **kwargs):
        raise NotImplementedError("rankscope's DistributedDataParallel has no join(). Give every rank the same number "
                                  "of batches (DistributedSampler with drop_last=True).")

    def register_comm_hook(self, state, hook):
        raise NotImplementedError("rankscope's DistributedDataParallel has no register_comm_hook(). Use "
                                  "no_sync() and all_reduce the gradients yourself.")
