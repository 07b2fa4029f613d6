"""Leaves a daemon behind."""

import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in (0, 1, 2):
            os.close(fd)
        time.sleep(1000)
    os._exit(0)
print("contained")
