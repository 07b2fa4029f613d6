import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
everybody = [None] * dist.get_world_size()
dist.all_gather_object(everybody, {"rank": rank, "words": ["x"] * rank})
settings = [{"lr": 0.1}, "adam"] if rank == 0 else [None, None]
dist.broadcast_object_list(settings, src=0)
print(rank, [len(e["words"]) for e in everybody], settings)
