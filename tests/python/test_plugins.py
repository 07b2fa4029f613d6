"""Algorithms of somebody else's: compiled against the installed header, loaded by the command and its ranks."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest

# A file of engine/collectives as a plug-in has it: another include, and one line at the end.
RING = """#include <rankscope_algorithm.hpp>

using namespace rankscope;

// Ring allreduce: n - 1 rounds in which a rank adds the chunk that it receives, n - 1 in which it keeps it.
void allreduce_mine(Communicator& comm, const Args& args) {
  const Slice data = args.out;  // starts as a copy of the input
  const int n = comm.size(), rank = comm.rank();
  const Rank next = wrap(rank + 1, n), left = wrap(rank - 1, n);
  const Partition chunks(data.count(), n);
  const auto chunk = [&](int index) { return data[chunks[wrap(index, n)]]; };
  for (auto phase = comm.phase("reduce-scatter"); int step : steps(n - 1)) {
    auto sent = comm.isend(next, chunk(rank - step));
    comm.recv_reduce(left, chunk(rank - step - 1), args.op);
    comm.wait(sent);
  }
  for (auto phase = comm.phase("allgather"); int step : steps(n - 1))
    comm.sendrecv(next, chunk(rank + 1 - step), left, chunk(rank - step));
}
RANKSCOPE_ALGORITHM(allreduce, mine, .title = "my ring", .best_use = "a test");

// A second one in the same file, with closed forms.
void broadcast_mine(Communicator& comm, const Args& args) {
  run_algorithm(comm, require_algorithm("broadcast.flat"), args);
}
static std::int64_t rounds(const ClosedFormInput& in) { return in.n - 1; }
RANKSCOPE_ALGORITHM(broadcast, mine, .rounds = rounds);
"""
CMAKE = """cmake_minimum_required(VERSION 3.22)
project(mine LANGUAGES CXX)
find_package(rankscope 0.1 CONFIG REQUIRED)
add_library(mine MODULE mine.cpp)
set_target_properties(mine PROPERTIES PREFIX "")
target_link_libraries(mine PRIVATE rankscope::plugin)
"""
THROWS = """#include <stdexcept>
#include <rankscope_algorithm.hpp>
void allreduce_unlucky(rankscope::Communicator& comm, const rankscope::Args&) {
  if (comm.rank() == 1) throw std::runtime_error("no luck today");
}
RANKSCOPE_ALGORITHM(allreduce, unlucky);
void allreduce_odd(rankscope::Communicator& comm, const rankscope::Args&) {
  if (comm.rank() == 1) throw 7;
}
RANKSCOPE_ALGORITHM(allreduce, odd);
"""


def run(*words):
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    binary = os.environ.get("RANKSCOPE_BINARY")
    if not binary or not shutil.which("cmake") or not shutil.which("g++"):
        pytest.skip("needs a built rankscope, cmake and g++")
    prefix = tmp_path_factory.mktemp("plugins") / "prefix"
    run("cmake", "--install", pathlib.Path(binary).resolve().parents[1], "--prefix", prefix, "--component", "development")
    return prefix


@pytest.fixture(scope="module")
def compiled(prefix):
    """Compiles a source by the line that the header and the errors give."""
    def compile_one(name, text, *options):
        source = prefix.parent / (name + ".cpp")
        source.write_text(text)
        run("g++", "-std=c++20", "-O2", "-shared", "-fPIC", *(options or ("-I", prefix / "include")), source, "-o",
            source.with_suffix(".so"))
        return source.with_suffix(".so")
    return compile_one


@pytest.fixture(scope="module")
def mine(prefix):
    folder = prefix.parent / "project"
    folder.mkdir()
    (folder / "mine.cpp").write_text(RING)
    (folder / "CMakeLists.txt").write_text(CMAKE)
    run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder / "build")
    return folder / "build" / "mine.so"


def test_it_is_listed_with_the_others(rankscope, mine):
    listed = json.loads(rankscope("list", "mine", "--json", "--plugin", mine).output)["algorithms"]
    assert [(one["name"], one["title"], one["rounds"]) for one in listed] == [
        ("broadcast.mine", "broadcast.mine", 7), ("allreduce.mine", "my ring", None)]
    assert "allreduce.mine " in rankscope("list", "allreduce", "--plugin", mine).output
    assert "broadcast.mine" not in rankscope("list").output


@pytest.mark.parametrize("transport", ["ipc", "shm", "inproc"])
def test_ranks_run_it_and_its_trace_opens_without_it(rankscope, mine, transport):
    done = rankscope("run", "allreduce.mine", "-n", 3, "-c", 7, "-t", transport, "--op", "avg", "-o", "mine.rankscope",
                     "--plugin", mine)
    assert done.code == 0 and "The result is right" in done.output, done.output
    events = rankscope("trace", "print", "mine.rankscope", "--rank", 1).output
    assert "mine.cpp:14 allreduce_mine" in events and "in phase reduce-scatter" in events
    assert json.loads(rankscope("trace", "stats", "mine.rankscope", "--json").output)["rounds"] == 4


def test_in_virtual_time_it_is_the_built_in_ring(rankscope, mine):
    ends = [json.loads(rankscope("sim", name, "-n", 16, "-b", "1MiB", "--json", "--plugin", mine).output)["finish_s"]
            for name in ("allreduce.ring", "allreduce.mine")]
    assert ends[0] == ends[1] > 0


def test_it_is_compared_with_a_schedule(rankscope, mine, tmp_path):
    (tmp_path / "pair.txt").write_text("1: 0 -> 1 all add\n2: 1 -> 0 all keep\n")
    words = ("schedule", "compare", "pair.txt", "-n", 2, "--collective", "allreduce", "--json", "--plugin", mine)
    rows = {row["name"]: row for row in json.loads(rankscope(*words).output)["rows"]}
    ring = rows["allreduce.ring"]
    assert {**rows["allreduce.mine"], "name": "allreduce.ring"} == {**ring, "time_s": pytest.approx(ring["time_s"])}


def test_profile_measures_it_and_a_schedule(rankscope, mine, tmp_path):
    done = rankscope("profile", "allreduce", "--algorithms", "ring,mine", "--schedule", "1: 0 -> 1 all add; 2: 1 -> 0 all keep",
                     "--np", 2, "--sizes", "1KiB", "--rounds", 2, "--budget", 0.05, "--json", "--plugin", mine)
    records = json.loads(done.output)
    assert [one["algorithm"] for one in records] == ["allreduce.ring", "allreduce.mine", "allreduce.schedule"]
    assert all(one["median_s"] > 0 and not one.get("error") for one in records)


def test_what_is_no_plug_in_is_an_error(rankscope, compiled, mine, prefix, tmp_path):
    def refused(file):
        done = rankscope("list", "--plugin", file)
        assert done.code == 2 and f"plug-in {file}: " in done.output, done.output
        return done.output
    assert "there is no such file" in refused("none.so")
    assert "compile it: g++" in refused(mine.parents[1] / "mine.cpp")
    assert "it has no algorithm" in refused(compiled("empty", "int x;"))
    assert "it has no algorithm" in refused(compiled("unnamed", "#include <rankscope_algorithm.hpp>"))
    assert "there is an algorithm allreduce.ring already" in refused(compiled("again", RING.replace("mine", "ring")))
    assert "compiled for another rankscope" in refused(
        compiled("debug", RING, "-D_GLIBCXX_DEBUG", "-I", prefix / "include"))
    missing = "namespace rankscope { void secret(); }\n" + RING.replace("comm.wait(sent);", "secret();")
    assert "secret" in refused(compiled("missing", missing))
    # An older header, whose ranks call what this rankscope has no more: the header is the reason.
    header = (prefix / "include" / "rankscope_algorithm.hpp").read_text()
    (tmp_path / "rankscope_algorithm.hpp").write_text(header.replace('PLUGIN_HEADERS "', 'PLUGIN_HEADERS "0'))
    assert "compiled for another rankscope" in refused(compiled("foreign", missing, "-I", tmp_path))


@pytest.mark.parametrize("command", [("run",), ("run", "-t", "inproc"), ("sim",)])
def test_what_it_throws_ends_the_run_with_its_text(rankscope, compiled, command):
    library = compiled("unlucky", THROWS)
    for name, text in (("unlucky", "rank 1: no luck today"), ("odd", "rank 1: threw something that is no std::exception")):
        done = rankscope(command[0], f"allreduce.{name}", "-n", 3, *command[1:], "--plugin", library)
        assert done.code == 1 and text in done.output, done.output
