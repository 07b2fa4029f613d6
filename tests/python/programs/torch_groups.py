"""Groups, on four ranks: ranks are global ones in every call."""
import torch
import torch.distributed as dist
from refused import refused
from torch.distributed import distributed_c10d

dist.init_process_group("gloo")
rank = dist.get_rank()
odd, even = dist.new_group([3, 1]), dist.new_group(ranks=[0, 2])
group = odd if rank % 2 else even
other = even if rank % 2 else odd
partner = (rank + 2) % 4
assert isinstance(group, dist.ProcessGroup) and dist.get_backend(group) == "gloo"
assert dist.get_world_size(group) == 2 and dist.get_rank(group) == rank // 2
assert dist.get_rank(other) == -1 and other is distributed_c10d.GroupMember.NON_GROUP_MEMBER

tensor = torch.tensor([float(rank)])
dist.all_reduce(tensor, group=group)
assert tensor.item() == rank + partner
dist.broadcast(tensor := torch.tensor([rank]), src=max(rank, partner), group=group)
assert tensor.item() == max(rank, partner)
received = torch.zeros(1)
works = [dist.irecv(received, src=partner, group=group), dist.isend(torch.tensor([float(rank)]), partner, group=group)]
[work.wait() for work in works]
assert received.item() == partner and works[0].source_rank() == partner // 2
if rank in (1, 3):
    if rank == 1:
        assert dist.recv(received, group=odd) == 3
    else:
        dist.send(torch.ones(1), 1, group=odd)
assert dist.all_reduce(tensor, group=other) is None  # a warning, and nothing happens
with refused((RuntimeError, ValueError), "group"):
    dist.broadcast(tensor, src=(rank + 1) % 4, group=group)  # a root outside of the group
dist.destroy_process_group(group)
dist.barrier()
dist.destroy_process_group()

# A second world in the same processes.
dist.init_process_group("gloo", init_method="tcp://127.0.0.1:23456", rank=3 - rank, world_size=4)
assert dist.get_rank() == 3 - rank
dist.all_reduce(tensor := torch.ones(1), group=dist.group.WORLD)
assert tensor.item() == 4
print("rank %d of 4 is fine\n" % rank, end="")
