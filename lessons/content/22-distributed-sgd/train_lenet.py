"""Distributed SGD on LeNet-5: a local step of each rank, then the average of the parameters."""

import torch
import torch.distributed as dist
import torch.nn.functional as F


def train_lenet(model, train, test, batch_size, step_size, steps, after_step):
    """Trains `model` in place, and returns the share of the test pictures that it gets right."""
    rank, size = dist.get_rank(), dist.get_world_size()

    # All ranks begin with rank 0's parameters.

    # `steps` times: a batch of this rank's own pictures, the loss, its gradients, a local step, the average over the
    # ranks, after_step().

    # The accuracy on all of `test`.

    raise NotImplementedError
