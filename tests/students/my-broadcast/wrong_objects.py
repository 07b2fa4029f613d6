# exercise: my-broadcast
# verdict: wrong
# mistake: sends the tensor by broadcast_object_list
# expect: a built-in collective (broadcast_object_list) is called
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    box = [tensor.clone() if dist.get_rank() == src else None]
    dist.broadcast_object_list(box, src=src)
    tensor.copy_(box[0])
    return tensor
