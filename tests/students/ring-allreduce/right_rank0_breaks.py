import torch
import torch.distributed as dist


def ring_allreduce(tensor):
    n, N = dist.get_rank(), dist.get_world_size()
    if N == 1:
        return
    left = n - 1 if n > 0 else N - 1
    right = n + 1 if n < N - 1 else 0
    data = tensor.reshape(-1).clone()
    count = data.numel()
    bounds = [count * c // N for c in range(N + 1)]

    def chunk(c):
        return data[bounds[c]:bounds[c + 1]]

    for phase in ("add", "keep"):
        for j in range(N - 1):
            i = j + 1 if phase == "add" else j + N
            s = chunk((n + i - 2) % N)
            r = chunk((n + i - 1) % N)
            temp = torch.zeros(r.numel(), dtype=tensor.dtype)
            if n == 0:
                dist.recv(temp, right)
                dist.send(s, left)
            else:
                dist.send(s, left)
                dist.recv(temp, right)
            if phase == "add":
                r += temp
            else:
                r[:] = temp
    tensor.copy_(data.reshape(tensor.shape))
