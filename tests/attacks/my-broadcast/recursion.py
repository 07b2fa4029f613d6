# attack: recursion without end, and then without a limit, until the stack is full: Python's
#   frames lie in memory, which a busy machine gives too slowly for anything but the time to end
# points: 0
# reason: signal|SIGSEGV|killed|ended|RecursionError|used more than|takes too long|took longer than
import sys


def my_broadcast(tensor, src):
    sys.setrecursionlimit(1 << 30)
    return my_broadcast(tensor, src)
