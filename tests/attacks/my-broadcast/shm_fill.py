# attack: fills /dev/shm
# points: 0
# reason: No space left|filled its|File too large|used more than|files
def my_broadcast(tensor, src):
    for number in range(10000):
        with open("/dev/shm/%d" % number, "wb") as file:
            file.write(b"x" * (16 << 20))
    raise SystemError("SUCCEEDED: wrote 160 GB")
