import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    box = [tensor.clone() if dist.get_rank() == src else None]
    dist.broadcast_object_list(box, src=src)
    tensor.copy_(box[0])
    return tensor
