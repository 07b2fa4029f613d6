#!/usr/bin/env python3
"""Run the faulty and the right programs and say how many mistakes are named, with the line, the cause and the advice.

    tests/diagnoses/score.py                        all programs, the table at the end
    tests/diagnoses/score.py --only blind/faulty    those whose path has this text; may be repeated
    tests/diagnoses/score.py --fixed                the 20 of fixed.txt; fails where one is worse than said there
    tests/diagnoses/score.py --repaired             the repaired variants: each must end right
    tests/diagnoses/score.py --right 20 --explore 30   20 of the right programs, each in 30 orders
    tests/diagnoses/score.py --right 20 --load 4    20 of the right programs, beside 4 processes that compute

A hang's time is that from the last step of any rank, before all of them wait, to the moment at which the ranks are told
that they wait for each other; and to the end of the command, when the report is out and all processes have ended.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib

import causes

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
kSlack = 40.0  # seconds that a run may take beyond its time limit, to start and to end
kPerOrder = 30.0  # seconds that one of many orders may take
kRefused = 2  # exit code of a program that cannot be run so
kSoon = 2.0  # seconds within which a hang is to be reported


class Program:
    def __init__(self, sidecar):
        self.sidecar = sidecar
        self.source = sidecar.with_suffix(".py")
        self.name = str(self.source.relative_to(HERE))
        self.faulty = sidecar.parent.name == "faulty"
        self.__dict__.update({"also": [], "lines": [], "start": "copies", "repair": [], "output": None, "meant": None,
                              "data": None, "cause": None} | tomllib.loads(sidecar.read_text()))
        unknown = {self.cause, *self.also} - {None, *causes.NAMES}
        if unknown:
            raise SystemExit(f"{sidecar}: causes.py has no cause {', '.join(sorted(unknown))}")

    def text(self, repaired):
        lines = self.source.read_text().split("\n")
        for change in self.repair if repaired else []:
            lines[change["line"] - 1] = change["text"]
        return "\n".join(lines)


def run_with_limit(command, folder, limit):
    """As subprocess.run; a command that outlives its own time limit is ended with all that it started."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
                          start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def run(program, options):
    """What `rankscope exec` says about a program: its JSON, its output, its duration."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / program.source.name
        copy.write_text(program.text(options.repaired))
        command = [options.binary, "exec", "--json", "--timeout", str(options.timeout), "-o", f"{folder}/t.rankscope"]
        if program.platform != "ray" and program.start != "self":
            command += ["-n", str(program.ranks)]
        if program.meant and options.can_compare and not options.no_as:
            command += ["--as", program.meant]
            if program.data:
                command += ["--data", program.data]
        if options.explore:
            command += ["--explore", str(options.explore)]
        begin = time.monotonic()
        limit = options.explore * kPerOrder if options.explore else float(options.timeout)
        done = run_with_limit(command + [str(copy)], folder, limit + kSlack)
        end = time.monotonic()
        begin_of_json = re.search(r"^\{$.*\Z", done.stdout, re.M | re.S)
        refusal = re.search(r"^\{$.*\Z", done.stderr, re.M | re.S)
        said = json.loads((begin_of_json or refusal).group()) if begin_of_json or refusal else {}
        hung = [r["trace"] for r in said.get("runs", []) if r.get("status") == "deadlock" and r.get("trace")]
        waits = [wait_in(options.binary, trace, folder) for trace in hung]
        told = [told - last for last, told in waits]
        ended = [end - last for last, _ in waits]
    output = done.stdout[: begin_of_json.start()] if begin_of_json else done.stdout
    return {"said": said, "output": output, "errors": done.stderr, "exit_code": done.returncode,
            "seconds": end - begin, "told": max(told, default=None), "hang": max(ended, default=None)}


def wait_in(binary, trace, folder):
    """When the last rank began to wait, or ended, and when the ranks were told so: seconds of this machine's clock."""
    table = pathlib.Path(folder) / "events.jsonl"
    subprocess.run([binary, "export", trace, "-o", str(table)], check=True, capture_output=True, cwd=folder)
    lines = [json.loads(line) for line in table.read_text().splitlines()]
    stopped = [event for event in lines[1:] if event["verb"] == "job_end" and event.get("tag")]
    steps = [event for event in lines[1:] if event["kind"] != "note" and event not in stopped]
    last = max(event.get("begin_ns", event["time_ns"]) for event in steps)
    told = min((event["time_ns"] for event in stopped), default=last)
    return (lines[0]["clock_ns"] + last) * 1e-9, (lines[0]["clock_ns"] + told) * 1e-9


@contextlib.contextmanager
def load_of(processes):
    """So many processes that only compute."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def same_output(program, output):
    """The same lines in any order; lines of two ranks may have run into each other."""
    expected = "\n".join(program.output)
    if sorted(output.split("\n")) == sorted(expected.split("\n")):
        return True
    return collections.Counter("".join(output.split())) == collections.Counter("".join(expected.split()))


def line_of(program, finding):
    places = re.findall(re.escape(program.source.name) + r":(\d+)", (finding.get("site") or "") + " " + finding["what"])
    return int(places[0]) if places else None


def errors_without_run(errors):
    """What ended a program that made no run, as a finding: the error that it printed."""
    last = re.findall(r"^[\w.]*Error: .*\Z", errors, re.M | re.S)
    return [{"kind": "lost rank", "severity": "error", "site": "", "what": last[0], "why": "", "advice": ""}] if last else []


def judge(program, result):
    """What is right about a run, as a flat table row."""
    found = [f for r in result["said"].get("runs", []) for f in r.get("findings", [])]
    if not result["said"].get("runs") and result["exit_code"] != 0:
        found = errors_without_run(result["errors"])
    faults = [f for f in found if f["severity"] != "hint"]
    status = [r.get("status") for r in result["said"].get("runs", [])]
    row = {"name": program.name, "faulty": program.faulty, "kind": program.kind, "status": ",".join(map(str, status)),
           "seconds": round(result["seconds"], 2), "hang": result["hang"] and round(result["hang"], 3),
           "told": result["told"] and round(result["told"], 3),
           "hangs": program.faulty and program.outcome == "stuck" and program.cause != "endless-work",
           "exit_code": result["exit_code"], "first": "", "line": None, "cause": None, "findings": len(faults)}
    row["output_right"] = program.output is None or same_output(program, result["output"])
    row["flagged"] = bool(faults) or result["exit_code"] != 0
    if "orders" in result["said"]:  # their output was compared with that of the usual order
        row |= {"orders": result["said"]["orders"], "output_right": True, "status": "explored",
                "first": (result["said"].get("shortest") or {}).get("says", "")}
    # It makes no group of ranks, or one of one rank: there are no other orders.
    row["refused"] = "error" in result["said"] and result["exit_code"] == kRefused
    if not program.faulty:
        row["right"] = not row["flagged"] and row["output_right"]
    if not found:
        return row
    first = (faults or found)[0]
    row |= {"first": f'{first["kind"]}: {first["what"]}', "line": line_of(program, first),
            "cause": " or ".join(causes.causes_of(first)), "why": first["why"], "advice": first["advice"]}
    if program.faulty:
        row["found"] = True
        row["line_right"] = row["line"] in program.lines
        right = {program.cause, *program.also} & set(causes.causes_of(first))
        row["cause_right"] = bool(right)
        row["advice_right"] = bool(right) and causes.advises(first, right)
    return row


def share(rows, key):
    hits = sum(bool(r.get(key)) for r in rows)
    return f"{hits:3} of {len(rows):3}  {100 * hits / len(rows):5.1f} %" if rows else "  0 of   0      -"


def table(rows, seconds):
    faulty = [r for r in rows if r["faulty"]]
    right = [r for r in rows if not r["faulty"] and not r["refused"]]
    flagged = [r for r in faulty + right if r["flagged"] or r.get("found")]
    wanted = [("recall: a mistake is reported", share(faulty, "found")),
              ("precision: what is reported is faulty", share(flagged, "faulty")),
              ("right line", share(faulty, "line_right")),
              ("right cause", share(faulty, "cause_right")),
              ("right advice", share(faulty, "advice_right")),
              ("right programs without an alarm", share(right, "right"))]
    ends = [r["seconds"] for r in rows]
    hangs = [r for r in faulty if r["hang"] is not None]
    orders = [r["orders"] for r in rows if "orders" in r]
    text = [f"{name:40}{value}" for name, value in wanted]
    if orders:
        text.append(f"{'orders':40}{sum(orders)} of {len(orders)} programs")
    if hangs:
        text.append(f"{'hangs: all ranks wait':40}{len(hangs)}")
        for key, name in (("told", "their ranks are told so after"), ("hang", "and the command has ended after")):
            times = [r[key] for r in hangs]
            text.append(f"  {name:38}{statistics.median(times):.2f} s (median), {max(times):.2f} s at most; "
                        f"{sum(one > kSoon for one in times)} after more than {kSoon:g} s")
        limits = [r["name"] for r in faulty if r["hangs"] and "timeout" in r["status"]]
        text.append(f"{'hangs that reached the time limit':40}{len(limits)}{''.join(' ' + one for one in limits)}")
    text.append(f"{'duration':40}{seconds:.0f} s; the longest run {max(ends, default=0):.1f} s")
    return "\n".join(text)


def describe(program, row):
    if row["faulty"]:
        marks = "".join(letter if row.get(key) else "-" for letter, key in
                        (("F", "found"), ("L", "line_right"), ("C", "cause_right"), ("A", "advice_right")))
        expected = f"{program.cause} at {', '.join(map(str, program.lines))}"
        if marks == "FLCA":
            return f"{marks}  {row['name']}"
        said = f"{row['cause'] or 'no cause'} at {row['line']} ({row['first']})" if row["first"] else row["status"] or "nothing"
        return f"{marks}  {row['name']}\n        expected {expected}\n        said     {said}"
    if row["refused"]:
        return f"none  {row['name']}: it has no other orders"
    problem = row["first"] or (f"exit code {row['exit_code']}" if row["flagged"] else "another output")
    return f"{'right' if row['right'] else 'ALARM'} {row['name']}" + ("" if row["right"] else f"\n        {problem}")


def fixed_programs():
    """The programs that CI runs, each with what must be right about it."""
    lines = [line.split() for line in (HERE / "fixed.txt").read_text().split("\n") if line and line[0] != "#"]
    return {name: marks for marks, name in lines}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], help="programs whose path has this text")
    parser.add_argument("--fixed", action="store_true", help="the programs of fixed.txt, as CI runs them")
    parser.add_argument("--repaired", action="store_true", help="run the repaired variants of the faulty programs")
    parser.add_argument("--right", type=int, default=0, metavar="PROGRAMS", help="so many of the right programs, of each kind")
    parser.add_argument("--load", type=int, default=0, metavar="PROCESSES", help="beside so many processes that compute")
    parser.add_argument("--times", type=int, default=1, help="run each so often (1)")
    parser.add_argument("--explore", type=int, default=0, metavar="ORDERS", help="run each in so many orders")
    parser.add_argument("--no-as", action="store_true", help="do not name the collective that a program means")
    parser.add_argument("--json", action="store_true", help="print every row as JSON")
    parser.add_argument("--binary", default=str(ROOT / "build/bin/rankscope"))
    parser.add_argument("--timeout", default="20", help="of each run, in seconds (20)")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="runs at the same time (2)")
    options = parser.parse_args()
    described = subprocess.run([options.binary, "exec", "--help"], capture_output=True, text=True).stdout
    options.can_compare = "--as " in described
    return options


def chosen(options):
    programs = [Program(path) for path in sorted(HERE.glob("*/*/*.toml"))]
    programs = [p for p in programs if not options.only or any(text in p.name for text in options.only)]
    if options.fixed:
        names = fixed_programs()
        programs = [p for p in programs if p.name in names]
    if options.repaired:
        programs = [p for p in programs if p.faulty]
        for program in programs:
            program.faulty = False
    if options.right:
        right = [p for p in programs if not p.faulty]
        step = max(1, len(right) // options.right)
        programs = right[step // 2 :: step][: options.right]
    if not programs:
        raise SystemExit("score.py: no such program")
    return programs * options.times


def main():
    options = arguments()
    programs = chosen(options)
    begin = time.monotonic()
    rows = []
    with load_of(options.load), concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for program, result in zip(programs, pool.map(lambda p: run(p, options), programs)):
            rows.append(judge(program, result))
            if not options.json:
                print(describe(program, rows[-1]), flush=True)
    seconds = time.monotonic() - begin
    if options.json:
        print(json.dumps({"programs": rows, "seconds": round(seconds, 1)}, indent=2))
    else:
        print("\n" + table(rows, seconds))
    if options.fixed:
        sys.exit(report_worse(rows))
    if options.repaired:
        sys.exit(any(not r["right"] for r in rows))


def report_worse(rows):
    """1 where a program of fixed.txt is worse than it says there, or is missing."""
    expected = fixed_programs()
    missing = expected.keys() - {r["name"] for r in rows}
    keys = {"F": "found", "L": "line_right", "C": "cause_right", "A": "advice_right", "R": "right"}
    worse = [f"{r['name']}: no longer {keys[m]}" for r in rows for m in expected[r["name"]] if not r.get(keys[m])]
    for text in worse + [f"{name}: no such program" for name in sorted(missing)]:
        print(f"score.py: {text}", file=sys.stderr)
    return int(bool(worse or missing))


if __name__ == "__main__":
    main()
