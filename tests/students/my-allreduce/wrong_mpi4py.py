import torch
from mpi4py import MPI


def my_allreduce(tensor):
    whole = tensor.contiguous().numpy()
    MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, whole)
    tensor.copy_(torch.from_numpy(whole))
    return tensor
