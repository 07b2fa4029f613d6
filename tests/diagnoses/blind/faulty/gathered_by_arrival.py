import torch
import torch.distributed as dist

def ring_allgather(x):
    r, n = dist.get_rank(), dist.get_world_size()
    out = [x]
    current = x
    for _ in range(n - 1):
        nxt = torch.zeros_like(x)
        s = dist.isend(current, (r + 1) % n)
        dist.recv(nxt, (r - 1) % n)
        s.wait()
        out.append(nxt)
        current = nxt
    return torch.cat(out)

dist.init_process_group("gloo")
print(dist.get_rank(), ring_allgather(torch.tensor([dist.get_rank() * 11])).tolist())
