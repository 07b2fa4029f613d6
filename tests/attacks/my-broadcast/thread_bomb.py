# attack: threads without end
# points: 0
# reason: had more than \d+ processes|took longer than
import threading
import time


def my_broadcast(tensor, src):
    threading.stack_size(65536)
    while True:
        try:
            threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        except (RuntimeError, MemoryError):
            time.sleep(0.01)
