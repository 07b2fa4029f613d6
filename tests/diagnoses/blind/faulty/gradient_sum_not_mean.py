"""Distributed SGD on f(w) = (w - target)^2 / 2, one target per rank."""
import torch
import torch.distributed as dist


def average_gradients(grad):
    dist.all_reduce(grad, op=dist.ReduceOp.SUM)
    return grad


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    target = torch.tensor([rank * 1.0])
    w = torch.zeros(1)
    for _ in range(5):
        grad = w - target
        w -= 0.4 * average_gradients(grad)
    if rank == 0:
        print("w =", round(w.item(), 4))


main()
