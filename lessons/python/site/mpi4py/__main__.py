"""python -m mpi4py script.py: as mpi4py's own, ends the whole run when one rank fails. rankscope does so anyway."""

import runpy
import sys

if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a not in ("run", "-rc")]
    if not arguments:
        sys.exit("usage: python -m mpi4py script.py [arguments]")
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")
