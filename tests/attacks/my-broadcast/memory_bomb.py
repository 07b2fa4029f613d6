# attack: one rank takes all memory
# points: 0
# reason: used more than [\d.]+ GiB of memory|took longer than
import torch.distributed as dist


def my_broadcast(tensor, src):
    kept = []
    while dist.get_rank() == 0:
        kept.append(bytearray(64 << 20))
