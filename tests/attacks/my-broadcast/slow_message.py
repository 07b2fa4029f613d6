# attack: one byte of a message every second, so that the agent never comes to its end
# points: 0
# reason: too long|did not stop|not finished|breaks off
import os
import struct
import time


def my_broadcast(tensor, src):
    text = b'{"do":"note"' + b" " * 1000
    for byte in struct.pack("<IIQ", 0x31475352, len(text), 1 << 20) + text:
        os.write(3, bytes([byte]))
        time.sleep(1)
