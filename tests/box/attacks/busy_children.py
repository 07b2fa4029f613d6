# Computes in children that end soon, so that no single process has used much.
import os
while True:
    child = os.fork()
    if child == 0:
        for _ in range(1000000):
            pass
        os._exit(0)
    os.waitpid(child, 0)
