"""Creates files without end."""

import os
n = 0
while True:
    os.close(os.open("/tmp/%d" % n, os.O_CREAT | os.O_WRONLY))
    n += 1
