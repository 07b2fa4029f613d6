import torch
import torch.distributed as dist

def main():
    dist.init_process_group("gloo")
    r = dist.get_rank()
    buf = torch.zeros(100)
    if r == 0:
        buf += 42
        req = dist.isend(buf, dst=1)
        req.wait()
    if r == 1:
        req = dist.irecv(buf, src=0)
        print("mean is", buf.mean().item())

main()
