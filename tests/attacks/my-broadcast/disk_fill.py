# attack: fills /tmp, with contents and then with files
# points: 0
# reason: No space left|filled its|File too large|used more than|files
import os


def my_broadcast(tensor, src):
    for number in range(1000000):
        with open("/tmp/%d" % number, "wb") as file:
            file.write(b"x" * 4096)
    raise SystemError("SUCCEEDED: wrote a million files")
