"""The installed package: a project of somebody else's finds it, writes ranks in C++ and reads traces."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest
import test_plugins

CMAKE = """cmake_minimum_required(VERSION 3.22)
project(ring LANGUAGES CXX)
find_package(rankscope 0.1 CONFIG REQUIRED)
add_executable(ring ring.cpp)
target_link_libraries(ring PRIVATE rankscope::rankscope)
add_executable(sums sums.cpp)
target_link_libraries(sums PRIVATE rankscope::trace)
add_library(mine MODULE mine.cpp)
set_target_properties(mine PROPERTIES PREFIX "")
target_link_libraries(mine PRIVATE rankscope::plugin)
"""
RING = """#include <rankscope.hpp>
#include <vector>
int main() {
  auto comm = rankscope::join();
  const int n = comm.size(), next = (comm.rank() + 1) % n, left = (comm.rank() - 1 + n) % n;
  std::vector<float> data(8, float(comm.rank())), got(8);
  comm.watch("got", got);
  for (int step = 0; step < n - 1; ++step, data = got) comm.sendrecv(next, data, left, got);
}
"""
# What a code exercise asks for, in the project's own source.
GRADED = """#include <rankscope.hpp>
#include <vector>
template <class T>
void my_allreduce(rankscope::Communicator& comm, std::span<T> data) {
  if (comm.rank() != 0) {
    comm.send(0, data);
    comm.recv(0, data);
    return;
  }
  std::vector<T> other(data.size());
  for (int peer = 1; peer < comm.size(); ++peer) {
    comm.recv(peer, other);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] += other[i];
  }
  for (int peer = 1; peer < comm.size(); ++peer) comm.send(peer, data);
}
"""
# The same numbers as `rankscope trace stats --json`.
SUMS = """#include <rankscope_trace.hpp>
#include <cstdio>
int main(int, char** arguments) try {
  const rankscope::trace::Trace trace(arguments[1]);
  std::vector<unsigned long long> sent(trace.ranks()), bytes(trace.ranks());
  unsigned long long all = 0;
  for (const auto& message : trace.messages()) {
    ++sent[message.from];
    bytes[message.from] += message.bytes;
    all += message.bytes;
  }
  std::printf("%zu %llu %d\\n", trace.messages().size(), all, trace.rounds());
  for (int rank = 0; rank < trace.ranks(); ++rank) std::printf("%llu %llu\\n", sent[rank], bytes[rank]);
  for (const auto& buffer : trace.buffers(trace.events().size()))
    if (buffer.name == "got") std::printf("%d %s %zu %g\\n", buffer.rank, buffer.dtype.c_str(), buffer.count, buffer.values[7]);
  try {
    trace.buffers(trace.events().size() + 1);
  } catch (const std::out_of_range&) {
    std::puts("past the end");
  }
} catch (const rankscope::trace::Error& error) {
  std::puts(error.what());
  return 3;
}
"""


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    binary = os.environ.get("RANKSCOPE_BINARY")
    if not binary or not shutil.which("cmake"):
        pytest.skip("needs a built rankscope and cmake")
    folder = tmp_path_factory.mktemp("installed")
    build = pathlib.Path(binary).resolve().parents[1]
    code, said = run("cmake", "--install", build, "--prefix", folder / "prefix", "--component", "development")
    assert code == 0, said
    for name, text in (("CMakeLists.txt", CMAKE), ("ring.cpp", RING), ("sums.cpp", SUMS), ("mine.cpp", test_plugins.RING),
                       ("my_allreduce.cpp", GRADED)):
        (folder / name).write_text(text)
    for step in (["-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}"],
                 ["--build", folder / "build"]):
        code, said = run("cmake", *step)
        assert code == 0, said
    return folder


def test_a_project_finds_it_and_its_ranks_run(project, rankscope, tmp_path):
    done = rankscope("exec", "-n", 4, "-o", "ring.rankscope", "--", project / "build" / "ring")
    assert done.code == 0, done.output
    stats = json.loads(rankscope("trace", "stats", "ring.rankscope", "--json").output)
    code, said = run(project / "build" / "sums", tmp_path / "ring.rankscope")
    lines = said.splitlines()
    assert code == 0, said
    total = stats["total"]
    assert lines[0] == f"{total['messages']} {total['bytes']} {stats['rounds']}"
    assert lines[1:5] == [f"{rank['sent']['messages']} {rank['sent']['bytes']}" for rank in stats["ranks"]]
    assert lines[5:9] == [f"{rank} float32 8 {(rank + 1) % 4}" for rank in range(4)]
    assert lines[9:] == ["past the end"]


def test_its_plug_in_runs_as_the_built_in_one_does(project, rankscope):
    plugin = ("--plugin", project / "build" / "mine.so")
    times = [json.loads(rankscope("sim", f"allreduce.{name}", "-n", 8, *plugin, "--json").output)["finish_s"]
             for name in ("mine", "ring")]
    assert times[0] == times[1]
    done = rankscope("run", "allreduce.mine", "-n", 4, *plugin)
    assert done.code == 0, done.output


def test_its_source_is_graded(project, rankscope):
    done = rankscope("exercise", "my-allreduce", project / "my_allreduce.cpp")
    if "no boxes" in done.output or "cannot be started in a box" in done.output:
        pytest.skip("needs boxes")
    assert done.code == 0, done.output
    assert done.output.startswith("6 of 6") or "6 of 6 points" in done.output, done.output


def test_what_is_no_trace_is_an_error_that_says_so(project, tmp_path):
    (tmp_path / "none").write_text("nothing")
    code, said = run(project / "build" / "sums", tmp_path / "none")
    assert code == 3 and "is not a rankscope trace" in said


def test_pkg_config_finds_it(project, tmp_path):
    if not shutil.which("pkg-config"):
        pytest.skip("needs pkg-config")
    where = next((project / "prefix").rglob("pkgconfig"))
    code, flags = run("pkg-config", "--cflags", "--libs", "rankscope", env={**os.environ, "PKG_CONFIG_PATH": str(where)})
    assert code == 0, flags
    code, said = run("g++", "-std=c++20", project / "ring.cpp", "-o", tmp_path / "ring", *flags.split())
    assert code == 0, said
