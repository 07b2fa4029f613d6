"""Fills shared anonymous mappings without end."""

import mmap, time
kept = []
while True:
    part = mmap.mmap(-1, 4 << 20)
    for i in range(0, len(part), 4096):
        part[i] = 1
    kept.append(part)
