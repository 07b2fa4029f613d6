import torch
import torch.distributed as dist

def save_checkpoint(rank, state):
    if rank == 0:
        print("saved", len(state), "tensors")
        dist.barrier()
    return state

dist.init_process_group("gloo")
rank = dist.get_rank()
state = [torch.zeros(3) for _ in range(4)]
save_checkpoint(rank, state)
loss = torch.ones(1)
dist.all_reduce(loss)
print("rank", rank, "goes on", loss.item())
