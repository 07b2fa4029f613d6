#!/usr/bin/env python3
"""Reads a question bank as its format's documentation says, without looking at how it was written.

  check_bank.py FILE.xml    Moodle XML  (docs.moodle.org/en/Moodle_XML_format)
  check_bank.py FILE.zip    QTI 2.1     (IMS Question and Test Interoperability v2.1, Information Model;
                                         IMS Content Packaging 1.1.4)

Prints each fault, and how many questions of which type there are; ends with 1 when there was a fault.
"""
import sys

sys.dont_write_bytecode = True

from bank_html import faults
from bank_moodle import check_moodle
from bank_qti import check_package


def main():
    path = sys.argv[1]
    counts = check_package(path) if path.endswith(".zip") else check_moodle(path)
    for one in faults[:40]:
        print(one)
    print(" ".join(f"{kind}={count}" for kind, count in sorted(counts.items())))
    return 1 if faults or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
