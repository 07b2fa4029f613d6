"""Schedules as a few lines of Python.

    from rankscope.schedule import send

    def moves(n):                       # a ring allreduce; n is the number of ranks
        for step in range(1, n):
            for rank in range(n):
                yield send(step, rank, (rank + 1) % n, (rank - step) % n, "add")

`rankscope schedule prove ring.py -n 8 --collective allreduce` runs moves(8) in a sandbox. `chunks = 16`, or a function
chunks(n), says how many chunks the data has; else there is one for each rank. `text(moves(8))` is the table itself.
"""
import operator
import runpy
import sys
import traceback

ALL = "all"
MOST_MOVES = 1_000_000


class ScheduleError(ValueError):
    """An impossible move; the text says what to write instead."""


def _whole(value, name, least):
    try:
        number = operator.index(value)
    except TypeError:
        raise ScheduleError("%s should be a whole number, not %r" % (name, value)) from None
    if number < least:
        raise ScheduleError("%s should be %d or more, not %d" % (name, least, number))
    return number


def send(step, src, dst, chunk=ALL, how="keep"):
    """A move: in this step, src sends a chunk (or ALL) to dst, which adds it or keeps it."""
    if how not in ("add", "keep"):
        raise ScheduleError('how should be "add" or "keep", not %r' % (how,))
    what = ALL if chunk == ALL else "chunk %d" % _whole(chunk, "chunk", 0)
    return "%d: %d -> %d %s %s" % (_whole(step, "step", 1), _whole(src, "src", 0), _whole(dst, "dst", 0), what, how)


def text(moves, chunks=None):
    """The table that `rankscope schedule` and NAME.schedule read. Moves are what send() returns."""
    lines = [] if chunks is None else ["chunks %d" % _whole(chunks, "chunks", 1)]
    for number, move in enumerate(moves, 1):
        if not isinstance(move, str):
            raise ScheduleError("move %d should be made by send(...), not %r" % (number, move))
        if number > MOST_MOVES:
            raise ScheduleError("a schedule has at most %d moves" % MOST_MOVES)
        lines.append(move)
    return "\n".join(lines) + "\n"


def _table(path, ranks):
    names = runpy.run_path(path)
    moves = names.get("moves")
    if not callable(moves):
        raise ScheduleError("the file should have a function moves(n) that yields send(...) for each move")
    chunks = names.get("chunks")
    return text(moves(ranks), chunks(ranks) if callable(chunks) else chunks)


def main(path, ranks, name):
    """Prints the table of a file. What the program itself prints goes to the standard error."""
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        table = _table(path, int(ranks))
    except (Exception, SystemExit) as error:  # the program's error: its own lines are enough
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename == path:
                print("%s, line %d: %s" % (name, frame.lineno, frame.line or ""), file=sys.stderr)
        for line in traceback.format_exception_only(type(error), error):
            print(line.replace(path, name).replace("rankscope.schedule.", "").replace("__main__.", ""), end="", file=sys.stderr)
        return 1
    out.write(table)
    out.flush()
    return 0


if __name__ == "__main__":
    import rankscope.schedule
    sys.exit(rankscope.schedule.main(*sys.argv[1:]))
