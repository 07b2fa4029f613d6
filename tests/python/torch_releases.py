"""Tries releases of torch, each in a throw-away environment: programs/torch_everything.py prints with rankscope what it
prints with gloo. Prints the table of lessons/python/README.md.

    python3 torch_releases.py --rankscope build/bin/rankscope [--ranks 2 4] [system 2.4.1 newest ...]

A release is a version number; "newest", whatever pip finds; "system", the torch that this Python has; or the path of a
Python. Environments are made with pip, and removed. Exit code 1 if a part differs, or if a run fails.
"""
import argparse
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).parent / "programs" / "torch_everything.py"
LIMIT_S = 900


def python_of(release, folder):
    if release == "system":
        return sys.executable
    if os.sep in release:
        return release
    environment = pathlib.Path(folder) / release
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = str(environment / "bin" / "python")
    # Releases before 2.3 were built for NumPy 1.
    subprocess.run([python, "-m", "pip", "install", "--quiet", "torch" if release == "newest" else "torch==" + release,
                    "numpy" if release == "newest" else "numpy<2"], check=True)
    return python


def lines_of(text):
    """What each rank printed: {(rank, part): the rest}."""
    found = re.findall(r"^(\d+) (\w+) (.*)$", text, re.M)
    return {(int(rank), part): rest for rank, part, rest in found}


def with_gloo(python, ranks):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    base = dict(os.environ, WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), OMP_NUM_THREADS="1")
    started = [subprocess.Popen([python, PROGRAM], env=dict(base, RANK=str(rank), LOCAL_RANK=str(rank)), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for rank in range(ranks)]
    try:
        texts = [process.communicate(timeout=LIMIT_S)[0] for process in started]
    finally:
        for process in started:
            process.kill()
    return lines_of("".join(texts)), [process.returncode for process in started]


def with_rankscope(rankscope, python, ranks, folder):
    outcome = subprocess.run([rankscope, "exec", "-n", str(ranks), "-o", os.path.join(folder, "run.rankscope"), "--",
                              python, PROGRAM], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=LIMIT_S)
    return lines_of(outcome.stdout), outcome.returncode, outcome.stdout


def tried(rankscope, python, ranks, folder):
    """(the row of the table, whether all is well)"""
    version = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], text=True, check=True,
                             stdout=subprocess.PIPE).stdout.strip()
    real, codes = with_gloo(python, ranks)
    ours, code, text = with_rankscope(rankscope, python, ranks, folder)
    equal = {part for _, part in real} - {part for key, rest in real.items() if ours.get(key) != rest
                                          for part in [key[1]]}
    left_out = {part for (_, part) in real if all(rest == "None" for (_, name), rest in real.items() if name == part)}
    differ = sorted({part for _, part in real} - equal)
    print("| %s | %d | %d | %s | %s |" % (version, ranks, len(equal - left_out), ", ".join(differ) or "none",
                                          ", ".join(sorted(left_out)) or "none"), flush=True)
    well = not differ and code == 0 and not any(codes)
    if not well:
        print("gloo ended with %s, rankscope with %d:\n%s" % (codes, code, text), file=sys.stderr)
    return well


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rankscope", required=True)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4])
    parser.add_argument("releases", nargs="*", default=["system", "2.4.1", "newest"])
    given = parser.parse_args()
    print("| torch | ranks | parts that are equal | differ | left out, since the release or its gloo lacks them |\n"
          "|---|---|---|---|---|", flush=True)
    well = True
    for release in given.releases:
        with tempfile.TemporaryDirectory() as folder:
            python = python_of(release, folder)
            for ranks in given.ranks:
                well = tried(given.rankscope, python, ranks, folder) and well
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
