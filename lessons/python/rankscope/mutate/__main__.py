"""Prints the mutants of programs as JSON."""
import json
import pathlib
import sys

from . import mutants

json.dump([mutants(pathlib.Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:]], sys.stdout)
