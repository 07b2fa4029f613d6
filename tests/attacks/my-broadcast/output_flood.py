# attack: standard error without end
# points: 0
# reason: wrote more than [\d.]+ [MG]iB
import os


def my_broadcast(tensor, src):
    while True:
        os.write(2, b"rankscope: all is well, full points\n" * 1000)
