"""Processes beside the ranks' programs, from lists as the kernel writes them."""
import os

from rankscope import ranks

class Rank:
    def __init__(self, number, first, program):
        self.number, self.first, self.running = number, first, {3: program, 4: first}


RANKS = [Rank(0, 100, 101), Rank(1, 200, 201)]  # as their starter, which is 50, sees them


def process(parent, inner=None, name="python3", state="S (sleeping)", threads=1):
    """With its number among its rank's processes; None: it is outside of them."""
    numbers = "7" if inner is None else "7\t%d" % inner
    return ranks.Process("Name:\t%s\nUmask:\t0022\nState:\t%s\nPPid:\t%d\nNSpid:\t%s\nThreads:\t%d\n"
                         % (name, state, parent, numbers, threads))


def others(gone=False, **more):
    seen = {1: process(0), 50: process(1), 100: process(50, 1), 101: process(50, 2), 200: process(50, 1),
            201: process(50, 2)}
    seen.update({int(number[1:]): one for number, one in more.items()})
    return ranks.others_among(RANKS, seen, gone)


def test_programs_alone_are_nothing():
    assert others() == []
    assert others(p60=process(50)) == []  # the starter's own
    assert others(p60=process(50, 3)) == [[-1, ""]]  # a program's, whatever it is a child of


def test_children_and_orphans_are_named_by_rank():
    assert others(p102=process(101, 3, "sleep")) == [[0, "sleep"]]
    assert others(p202=process(200, 4, "a:\tb")) == [[1, "a:\tb"]]
    assert others(p103=process(102, 4, "x"), p102=process(101, 3, "y")) == [[0, "x"], [0, "y"]]


def test_what_has_ended_is_nothing_unless_it_may_have_begun_another():
    assert others(p102=process(101, 3, state="Z (zombie)")) == []  # its parent has not waited for it
    assert others(p102=process(100, 3, state="Z (zombie)")) == [[-1, ""]]  # an orphan, there for a moment only
    assert others(p102=process(101, 3, "t", state="Z (zombie)", threads=2)) == [[0, "t"]]
    assert others(gone=True) == [[-1, ""]]
    assert others(p105=process(104, 6)) == [[-1, ""]]  # its parent went while the list was made


def test_a_circle_ends():
    assert others(p102=process(103, 3), p103=process(102, 4)) == [[-1, ""]]


def test_this_process_is_seen():
    seen, _ = ranks.processes()
    assert seen[os.getpid()].parent == os.getppid() and not seen[os.getpid()].ended
