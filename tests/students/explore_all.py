#!/usr/bin/python3
"""Runs the right programs of this folder in many orders: none may fail, and none may depend on time.

    explore_all.py [--orders N] [--seed S] [--only PATTERN] [EXERCISE ...]

RANKSCOPE_BINARY names the command.
"""
import argparse
import sys
import time

import student_programs as programs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--orders", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="right_*")
    parser.add_argument("exercises", nargs="*")
    options = parser.parse_args()
    bad = runs = 0
    for program in programs.chosen(options.exercises, options.only):
        began = time.time()
        result = {"orders": 0, "failed": -1, "inexact": 0,
                  **programs.exercise(program, "--explore", options.orders, "--seed", options.seed, timeout=3600)}
        runs += result["orders"]
        failed = result["failed"] != 0 or result["orders"] != options.orders
        bad += failed
        says = result.get("shortest", {}).get("says", "") or result.get("trouble", "")
        print("%-6s %-45s %3d of %3d failed, %d inexact, %5.1f s  %s"
              % ("WRONG" if failed else "ok", program, result["failed"], result["orders"],
                 result["inexact"], time.time() - began, says), flush=True)
    print("%d runs, %d programs of which an order fails" % (runs, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
