# Eight processes share 40 MiB at first, are measured, and then write into them: each gets a copy, and none grows. The copies
# end before the next measurement is due.
import os, time
kept = bytearray(b"x") * (40 << 20)
for _ in range(7):
    if os.fork() == 0:
        time.sleep(0.6)
        for page in range(0, len(kept), 4096):
            kept[page] = 1
        time.sleep(0.6)
        os._exit(0)
time.sleep(1.6)
print("held seven copies")
