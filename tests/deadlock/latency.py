#!/usr/bin/python3
"""How soon a deadlock is explained: from the moment at which the last rank blocks to the one at which the ranks are
told, and to the one at which the command has printed the circle (when the programs have ended).

    latency.py [--times N] [--ranks 2 4 8] [--busy] [--only torch|c++]

--busy keeps as many processors busy as there are, less one. RANKSCOPE_BINARY names the command.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program")
LIMIT = 0.1


def one_run(program, ranks, folder):
    """(seconds until told, seconds until printed)"""
    stamps = os.path.join(folder, "blocked")
    command = [os.environ.get("RANKSCOPE_BINARY", "rankscope"), "exec", "-n", str(ranks), "-o",
               os.path.join(folder, "t.rankscope"), os.path.join(PROGRAMS, program)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env={**os.environ, "BLOCKED_FILE": stamps})
    printed, text = None, ""
    for line in process.stdout:
        text += line
        if printed is None and ("wait for each other" in line or "deadlock" in line):
            printed = time.monotonic()
    process.wait()
    if printed is None:
        raise SystemExit("no deadlock was found:\n" + text)
    with open(stamps, encoding="utf-8") as file:
        began, told = map(float, file.read().split())
    os.unlink(stamps)
    return told - began, printed - began


def shown(values):
    return "median %.0f ms, worst %.0f ms" % (1000 * statistics.median(values), 1000 * max(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--ranks", type=int, nargs="*", default=[2, 4, 8])
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--only", choices=["torch", "c++"])
    options = parser.parse_args()
    programs = {"torch": "blocks.py", "c++": "blocks.cpp"}
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
            for _ in range((os.cpu_count() or 2) - 1 if options.busy else 0)]
    late = 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            for kind, program in programs.items():
                for ranks in options.ranks if options.only in (None, kind) else []:
                    runs = [one_run(program, ranks, folder) for _ in range(options.times)]
                    told, printed = zip(*runs)
                    late += sum(one > LIMIT for one in told)
                    print(f"{kind}, {ranks} ranks{', busy' if options.busy else ''}: told {shown(told)}; "
                          f"printed {shown(printed)} ({len(runs)} runs)", flush=True)
    finally:
        for process in load:
            process.kill()
            process.wait()
    print(f"{late} told after more than {1000 * LIMIT:.0f} ms")


if __name__ == "__main__":
    main()
