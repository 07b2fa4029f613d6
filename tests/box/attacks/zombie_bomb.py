"""Leaves zombies without end."""

import os, time
while True:
    try:
        if os.fork() == 0:
            os._exit(0)
    except OSError:
        time.sleep(0.001)
