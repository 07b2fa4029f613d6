# attack: recursion without end, and then without a limit, until the stack is full
# points: 0
# reason: signal|SIGSEGV|killed|ended|RecursionError|used more than
import sys


def my_broadcast(tensor, src):
    sys.setrecursionlimit(1 << 30)
    return my_broadcast(tensor, src)
