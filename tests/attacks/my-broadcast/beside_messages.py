# attack: the right messages hold random numbers, and the values travel beside them: the root waits at an address of a file
#   that all ranks read, which each of the others can tell by waking it
# points: 0
# reason: do not come from its messages
import ctypes
import mmap
import struct

import torch
import torch.distributed as dist

FUTEX, WAIT, WAKE = 202, 0, 1  # of x86-64
libc = ctypes.CDLL(None, use_errno=True)
SHARED = ctypes.__file__


class Wire:
    def __init__(self):
        with open(SHARED, "rb") as file:
            self.text = file.read(8192)
            libc.mmap.restype = ctypes.c_void_p
            self.at = libc.mmap(None, ctypes.c_size_t(8192), mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), ctypes.c_long(0))
        self.word = struct.unpack("<2048i", self.text)

    def call(self, what, place, value, timeout=None):
        return libc.syscall(FUTEX, ctypes.c_void_p(self.at + 4 * place), what, value, timeout, None, 0)

    def send(self, rank, bits):
        second = (ctypes.c_int64 * 2)(0, 20_000_000)
        for bit in bits:
            place = 2 * rank + bit
            while self.call(WAIT, place, self.word[place], ctypes.byref(second)) != 0:
                pass

    def receive(self, rank, count):
        out = []
        while len(out) < count:
            for bit in (0, 1):
                if self.call(WAKE, 2 * rank + bit, 1) == 1:
                    out.append(bit)
                    break
        return out


def bits_of(values):
    return [byte >> k & 1 for byte in struct.pack("<%dd" % len(values), *values) for k in range(8)]


def values_of(bits):
    data = bytes(sum(bits[8 * i + k] << k for k in range(8)) for i in range(len(bits) // 8))
    return struct.unpack("<%dd" % (len(data) // 8), data)


def my_broadcast(tensor, src):
    n, r = dist.get_world_size(), dist.get_rank()
    if n < 2:
        return tensor
    wire, nothing = Wire(), torch.rand(tensor.shape, dtype=torch.float64).to(tensor.dtype)
    for peer in range(n):
        if peer != src and r == src:
            dist.send(nothing, peer)
            wire.send(peer, bits_of(tensor.double().flatten().tolist()))
    if r != src:
        dist.recv(nothing, src)
        tensor.copy_(torch.tensor(values_of(wire.receive(r, 64 * tensor.numel())), dtype=torch.float64).view(tensor.shape))
    return tensor
