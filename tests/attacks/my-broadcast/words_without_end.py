# attack: an error whose words never end, of a class whose name and attributes are traps
# points: 0
# reason: takes too long|did not|broke off|Trap|memory
import sys


class Trap(Exception):
    def __str__(self):
        return "<script>alert(1)</script>\x1b[2J" * (1 << 24)

    __repr__ = __str__

    def __getattribute__(self, name):
        return "x" * (1 << 20)


def my_broadcast(tensor, src):
    sys.excepthook = lambda *_: my_broadcast(tensor, src)
    raise Trap()
