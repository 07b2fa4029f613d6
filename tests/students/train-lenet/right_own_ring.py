import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.utils import parameters_to_vector, vector_to_parameters


def exchange(right, outgoing, left, incoming):
    """Sends to the right and receives from the left; even ranks send first, so that nobody waits in a circle."""
    if dist.get_rank() % 2 == 0:
        dist.send(outgoing, right)
        dist.recv(incoming, left)
    else:
        dist.recv(incoming, left)
        dist.send(outgoing, right)


def ring_all_reduce(vector):
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return
    right, left = (rank + 1) % size, (rank - 1) % size
    chunks = list(vector.tensor_split(size))
    for step in range(size - 1):
        incoming = torch.empty_like(chunks[(rank - step - 1) % size])
        exchange(right, chunks[(rank - step) % size], left, incoming)
        chunks[(rank - step - 1) % size] += incoming
    for step in range(size - 1):
        exchange(right, chunks[(rank + 1 - step) % size], left, chunks[(rank - step) % size])


def train_lenet(model, train, test, batch_size, step_size, steps, after_step):
    """One flat vector of all parameters, summed by the ring of task 2."""
    rank, size = dist.get_rank(), dist.get_world_size()
    x = parameters_to_vector(model.parameters()).detach()
    if rank != 0:
        x.zero_()
    ring_all_reduce(x)  # as good as a broadcast
    vector_to_parameters(x, model.parameters())
    local = torch.arange(len(train)).chunk(size)[rank]
    for k in range(steps):
        images, labels = train[local[k * batch_size:(k + 1) * batch_size]]
        gradients = torch.autograd.grad(F.cross_entropy(model(images), labels), list(model.parameters()))
        x = parameters_to_vector(model.parameters()).detach() - step_size * parameters_to_vector(gradients)
        ring_all_reduce(x)
        vector_to_parameters(x / size, model.parameters())
        after_step()
    hits = sum(int(model(image[None]).argmax()) == label for image, label in test)
    return hits / len(test)
