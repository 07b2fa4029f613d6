# attack: what is no request: noise, half a head, a length of 2^60, deep JSON, then silence
# points: 0
# reason: protocol|breaks off|no JSON|another|ended|closed|gone|finish
import os
import struct
import time

import torch.distributed as dist


def my_broadcast(tensor, src):
    deep = b"[" * 60000
    noise = [b"GET / HTTP/1.1\r\n\r\n", os.urandom(4096), struct.pack("<IIQ", 0x31475352, 8, 1 << 60) + b'{"do":1}',
             struct.pack("<IIQ", 0x31475352, len(deep), 0) + deep, b"\0" * 100000]
    os.write(3, noise[(dist.get_rank() + dist.get_world_size()) % len(noise)])
    time.sleep(100)
