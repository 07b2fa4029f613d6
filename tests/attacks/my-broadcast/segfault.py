# attack: breaks its own process by a null pointer
# points: 0
# reason: signal|SIGSEGV|segmentation|killed|ended
import ctypes


def my_broadcast(tensor, src):
    ctypes.memset(0, 1, 1 << 20)
    return tensor
