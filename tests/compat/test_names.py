"""Names that people and their scripts use stay: what is stored in names/ is there. What is new may be there too."""
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys

import live
import pytest
from compat import HERE, binary, environment, run

pytestmark = pytest.mark.skipif("RANKSCOPE_BINARY" not in os.environ,
                                reason="RANKSCOPE_BINARY names no built rankscope")
PACKAGES = HERE.parents[1] / "lessons" / "python"
UNKNOWN = "--surely-unknown"


def stored(name):
    return (HERE / "names" / (name + ".txt")).read_text(encoding="utf-8").splitlines()


def none_missing(missing):
    assert not missing, "these names must stay, and are missing:\n  " + "\n  ".join(missing)


def said(words, folder):
    done = run(words, folder, environment(folder))
    return done.stdout + done.stderr


def test_commands_and_options(tmp_path):
    # The one that is complained about is the first unknown one.
    none_missing([line for line in stored("options") if UNKNOWN not in said([*shlex.split(line), UNKNOWN], tmp_path)])


def test_an_option_that_is_gone_would_be_seen(tmp_path):
    assert UNKNOWN not in said(["run", "allreduce.ring", "--is-gone", "2", UNKNOWN], tmp_path)
    assert UNKNOWN not in said(["is-gone", UNKNOWN], tmp_path)


def test_values_of_options(tmp_path):
    cases = {}
    for command, option, words in re.findall(r'"rankscope ?(\w*):(-[\w-]+)"\) COMPREPLY=\(\$\(compgen -W \'([^\']*)\'',
                                             said(["completion", "bash"], tmp_path)):
        cases[(command + " " + option).strip()] = words.split()
    none_missing(["%s %s" % (option, word) for option, words in (line.strip().split(": ") for line in
                                                                 stored("option-values"))
                  for word in words.split() if word not in cases.get(option, [])])


def test_algorithms(tmp_path):
    names = {one["name"] for arguments, key in ((["list"], "algorithms"), (["list", "--exercises"], "exercises"))
             for one in json.loads(said([*arguments, "--json"], tmp_path))[key]}
    none_missing(sorted(set(stored("algorithms")) - names))


def test_findings(tmp_path):
    found = json.loads(said(["list", "--findings", "--json"], tmp_path))["findings"]
    none_missing(sorted(set(stored("findings")) - {one["name"] for one in found}))


DIES = """import os, rankscope
if rankscope.join().rank == 0:
    os.abort()
rankscope.join().recv(bytearray(4), 0)
"""
# A run that ends in each way, and what it reads.
ENDS = {"ok": ("run allreduce.ring -n 2", ""), "wrong result": ("run exercise.sum_a -n 3", ""),
        "deadlock": ("run exercise.pair_c -n 2 --send-mode rendezvous", ""),
        "timeout": ("run p2p.ping -n 2 --delay 0=900000 --timeout 300ms", ""),
        "interrupted": ("run p2p.ping -n 2 --step", "q\n"), "failed": ("exec -n 2 dies.py", "")}


def test_statuses(tmp_path):
    (tmp_path / "dies.py").write_text(DIES, encoding="utf-8")
    missing = []
    for status in stored("run-statuses"):
        words, typed = ENDS[status]
        done = subprocess.run([str(binary()), *words.split(), "--trace", "off", "--json"], cwd=tmp_path, text=True,
                              env=environment(tmp_path), input=typed, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        now = json.loads(done.stdout)
        if (now["runs"][0] if "runs" in now else now["result"])["status"] != status:
            missing.append("%s: %s%s" % (status, done.stdout, done.stderr))
    none_missing(missing)


@pytest.mark.parametrize("name", live.COMMANDS)
def test_json_keys_and_exit_codes(name, tmp_path):
    if name == "exercise" and importlib.util.find_spec("torch") is None:
        pytest.skip("the exercise needs torch")
    code, keys = live.keys_of(name, tmp_path)
    wanted = [line.split(": ", 1)[1] for line in stored("json-keys") if line.startswith(name + ": ")]
    none_missing([key for key in wanted if key not in keys])
    assert code == live.COMMANDS[name][0]


def test_c_symbols():
    places = [binary().parents[1] / "lib" / "librankscope.so", binary().parent / "librankscope.so"]
    library = next((one for one in places if one.exists()), None)
    assert library is not None, "there is no librankscope.so beside " + str(binary())
    text = subprocess.run(["nm", "-D", "--defined-only", str(library)], text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    symbols = {line.split()[-1].split("@")[0] for line in text.splitlines()}
    none_missing(sorted(set(stored("c-symbols")) - symbols))


def parts(line):
    name, _, rest = line.partition("(")
    return name, [one for one in rest.rstrip(")").split(", ") if one]


def none_missing_in_python(name, text):
    now = dict(parts(line) for line in text.splitlines() if re.match(r"[\w.]+(\(.*\))?$", line))
    missing = []
    for line in stored(name):
        path, parameters = parts(line)
        there = [one for one in now.get(path, []) if one in parameters]
        if path not in now or there != parameters:
            missing.append("%s%s" % (line, "" if path not in now else ", but its parameters are %s" % now[path]))
    none_missing(missing)


def test_names_in_python(tmp_path):
    pytest.importorskip("numpy")
    variables = {**environment(tmp_path), "PYTHONPATH": os.pathsep.join(map(str, (PACKAGES / "site", PACKAGES)))}
    done = subprocess.run([sys.executable, str(HERE / "python_names.py")], env=variables, text=True,
                          cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    none_missing_in_python("python", done.stdout)


def of_application(*arguments):
    program = binary().parent / "rankscope-gui"
    if not program.exists():
        pytest.skip("rankscope-gui was not built")
    return subprocess.run([str(program), *arguments], text=True, check=True, stdout=subprocess.PIPE).stdout


def test_options_of_the_application():
    text = of_application("--help")
    none_missing([one for one in stored("gui-options") if not re.search(r"%s\b" % one, text)])


def words_of(line):
    return set(re.findall(r"[\w-]+", line))


def test_commands_of_the_application():
    now = {line.split()[0]: words_of(line) for line in of_application("--commands").splitlines() if line}
    none_missing([line for line in stored("gui-commands") if not words_of(line) <= now.get(line.split()[0], set())])
