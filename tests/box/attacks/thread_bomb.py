"""Starts threads without end."""

import threading, time
threading.stack_size(64 << 10)
while True:
    try:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    except RuntimeError:
        time.sleep(0.001)
