"""Calls that are refused: what the errors say. Two ranks."""
import torch
import torch.distributed as dist
from refused import refused


def says(words, call, *arguments, **options):
    with refused((RuntimeError, ValueError, TypeError), words):
        call(*arguments, **options)


says("init_process_group", dist.get_rank)
says("init_process_group", dist.send, torch.ones(1), 0)
says("gloo", dist.init_process_group, "nccl")
dist.init_process_group("gloo")
rank = dist.get_rank()
says("twice", dist.init_process_group, "gloo")
says("this rank itself", dist.send, torch.ones(1), rank)
says("this rank itself", dist.irecv, torch.ones(1), rank)
says("has to be contiguous", dist.send, torch.ones(4, 4)[:, 0], 1 - rank)
says("has to be contiguous", dist.recv, torch.ones(4, 4).t(), 1 - rank)
says("has to be contiguous", dist.all_reduce, torch.ones(8)[::2])
says("sparse", dist.all_reduce, torch.ones(2).to_sparse())
says("5", dist.send, torch.ones(1), 5)
says("dst", dist.send, torch.ones(1))
says("alltoall", dist.all_to_all, [torch.ones(1)] * 2, [torch.ones(1)] * 2)
says("length 2", dist.all_gather, [torch.ones(1)], torch.ones(1))
says("size", dist.all_gather, [torch.ones(2)] * 2, torch.ones(1))
says("BAND", dist.all_reduce, torch.ones(1), op=dist.ReduceOp.BAND)
says("torch.Tensor", dist.send, [1, 2], 1 - rank)
says("elements", dist.all_gather_into_tensor, torch.ones(3), torch.ones(1))
says("world_size", dist.new_group, [0, 2])
dist.barrier()
dist.destroy_process_group()
says("init_process_group", dist.barrier)
says("no process group", dist.destroy_process_group)
print("rank %d of 2 is fine\n" % rank, end="")
