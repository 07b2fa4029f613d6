# Fills a folder, and ends as if nothing had been.
import os, sys, time
try:
    with open(sys.argv[1] + "/fill", "wb", buffering=0) as file:
        while True:
            file.write(b"x" * (1 << 20))
except OSError:
    pass
if sys.argv[2] == "stay":
    time.sleep(60)
