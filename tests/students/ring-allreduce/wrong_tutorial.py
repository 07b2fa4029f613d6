import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> None:
    rank, world_size = dist.get_rank(), dist.get_world_size()
    recv_buffer = torch.zeros_like(tensor)
    for step in range(world_size - 1):
        send_rank = (rank - step) % world_size
        recv_rank = (rank - step - 1) % world_size
        if rank % 2 == 0:
            dist.send(tensor, send_rank)
            dist.recv(recv_buffer, recv_rank)
        else:
            dist.recv(recv_buffer, recv_rank)
            dist.send(tensor, send_rank)
        tensor += recv_buffer
    for step in range(world_size - 1):
        send_rank = (rank - step - 1) % world_size
        recv_rank = (rank - step - 2) % world_size
        if rank % 2 == 0:
            dist.send(tensor, send_rank)
            dist.recv(tensor, recv_rank)
        else:
            dist.recv(recv_buffer, recv_rank)
            dist.send(tensor, send_rank)
            tensor.copy_(recv_buffer)
