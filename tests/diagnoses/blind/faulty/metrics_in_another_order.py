import torch
import torch.distributed as dist


def train_step(rank):
    return torch.tensor([float(rank)]), torch.tensor([1.0, float(rank), 2.0])


def sync(rank):
    loss, weights = train_step(rank)
    if rank == 0:
        dist.broadcast(weights, src=0)
        dist.all_reduce(loss)
    else:
        dist.all_reduce(loss)
        dist.broadcast(weights, src=0)
    return loss, weights


if __name__ == "__main__":
    dist.init_process_group("gloo")
    l, w = sync(dist.get_rank())
    print(dist.get_rank(), l.item(), w.tolist())
