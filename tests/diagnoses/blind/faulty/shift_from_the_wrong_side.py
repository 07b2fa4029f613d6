import torch, torch.distributed as dist

def shift(x, r, n):
    nxt = (r + 1) % n
    y = torch.empty_like(x)
    h = dist.isend(x, nxt)
    dist.recv(y, src=nxt)
    h.wait()
    return y

dist.init_process_group('gloo')
r, n = dist.get_rank(), dist.get_world_size()
print(r, shift(torch.ones(5) * r, r, n)[0].item())
