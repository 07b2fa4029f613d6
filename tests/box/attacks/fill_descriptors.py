"""Opens files until none can be opened."""

import os, sys
kept = []
try:
    while True:
        kept.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    os.close(kept.pop())
    print(len(kept) < 300 and "contained" or len(kept))
