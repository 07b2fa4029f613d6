"""Floods both output streams."""

import os
while True:
    os.write(1, b"x" * 65536)
    os.write(2, b"y" * 65536)
