# Memory that eight processes share, each of which writes to it.
import os, time
kept = bytearray(16 << 20)
for _ in range(8):
    if os.fork() == 0:
        for i in range(0, len(kept), 4096):
            kept[i] = 1
        time.sleep(60)
time.sleep(60)
