import torch
import torch.distributed as dist


def hierarchical_allreduce(tensor, group_size):
    """Afterwards `tensor` holds the sum over all ranks; only leaders send from group to group."""
    rank = dist.get_rank()
    world_size = dist.get_world_size()
    leader = (rank // group_size) * group_size
    leaders = list(range(0, world_size, group_size))
    buf = torch.zeros_like(tensor)

    # 1. reduce to the leader of my group
    if rank == leader:
        for member in range(leader + 1, leader + group_size):
            dist.recv(buf, src=member)
            tensor += buf
    else:
        dist.send(tensor, dst=leader)

    # 2. allreduce over the leaders (via rank 0)
    if rank == 0:
        for other in leaders[1:]:
            dist.recv(buf, src=other)
            tensor += buf
        for other in leaders[1:]:
            dist.send(tensor, dst=other)
    elif rank == leader:
        dist.send(tensor, dst=0)
        dist.recv(tensor, src=0)

    # 3. leader gives the result back to its group
    if rank == leader:
        dist.send(tensor, dst=leader + 1)
    elif rank == leader + 1:
        dist.recv(tensor, src=leader)
    return tensor
