"""Passes huge arguments and environments to programs."""

import os, subprocess
for size in (1 << 20, 1 << 22, 1 << 24):
    for count in (1, 100):
        try:
            subprocess.run(["/bin/true"] + ["x" * (size // count)] * count, env={"E": "y" * 100000})
        except OSError:
            pass
print("contained")
