// A program in boxes: its messages go through agents, its results come back, its end is noticed.
#include "lessons/coding/boxes.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "engine/analysis/findings/findings.h"
#include "engine/core/base/process_stat.h"
#include "engine/run/job/transports.h"
#include "lessons/coding/run_end.h"
#include "tests/coding/box_options.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope;
using rankscope::test::TemporaryFolder;

namespace {

JobSpec program(int ranks) {
  JobSpec spec;
  spec.call.algorithm = "student.py";
  spec.call.platform = "torch";
  spec.world.size = ranks;
  spec.transport.mode = SendMode::rendezvous;
  spec.data.check = false;
  spec.recording.every_wait = true;
  spec.recording.timeout_s = 20;
  return spec;
}

std::vector<capi::AgentTask> tasks(int ranks, const std::string& function, int elements) {
  std::vector<capi::AgentTask> out;
  for (int rank = 0; rank < ranks; ++rank) {
    capi::AgentTask task;
    task.text =
        nlohmann::json{{"harness", "function"},
                       {"file", "student.py"},
                       {"function", function},
                       {"rank", rank},
                       {"size", ranks},
                       {"args", {{{"input", 0}, {"dtype", "float32"}, {"shape", {elements}}}}}}
            .dump();
    std::vector<float> values(static_cast<std::size_t>(elements), static_cast<float>(rank + 1));
    const auto bytes = std::as_bytes(std::span(values));
    task.inputs.emplace_back(bytes.begin(), bytes.end());
    out.push_back(std::move(task));
  }
  return out;
}

float first_value(const capi::AgentReport& report, const std::string& name) {
  for (const auto& result : report.results)
    if (result.name == name && result.data.size() >= sizeof(float)) {
      float value = 0;
      std::memcpy(&value, result.data.data(), sizeof(value));
      return value;
    }
  return -1;
}

}  // namespace

constexpr std::string_view kGoodAndBad = R"(
import torch
import torch.distributed as dist

def allreduce(tensor):
    n, r = dist.get_world_size(), dist.get_rank()
    if r == 0:
        other = torch.empty_like(tensor)
        for peer in range(1, n):
            dist.recv(other, peer)
            tensor += other
        for peer in range(1, n):
            dist.send(tensor, peer)
    elif n > 1:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
    return tensor

def both_send(tensor):
    n, r = dist.get_world_size(), dist.get_rank()
    dist.send(tensor, (r + 1) % n)
    dist.recv(tensor, (r - 1) % n)

def ends(tensor):
    import os
    if dist.get_rank() == 1:
        os._exit(3)
    dist.recv(tensor, 1)

def fails(tensor):
    raise ValueError("not today")

def waits_for_nobody(tensor):
    dist.recv(tensor, dist.get_rank() + 1)
)";

TEST_CASE("coding: a program in boxes gives its results, and its messages are seen by agents") {
  if (test::lacks_boxes_or_torch()) return;
  const TemporaryFolder folder;
  std::ofstream(folder / "student.py") << kGoodAndBad;
  CodeBoxes boxes(test::box_options(folder.path()), 3);
  const CodeRun good = boxes.run(program(3), tasks(3, "allreduce", 8));
  INFO(good.result.message << " " << good.trouble << " " << good.ranks[0].error);
  REQUIRE(good.result.ok());
  for (const auto& rank : good.ranks) {
    CHECK(rank.error.empty());
    CHECK(first_value(rank, "return|float32") == 6);
    CHECK(first_value(rank, "argument 0|float32") == 6);
  }
  CHECK(good.trace->findings().empty());
  int sends = 0;
  for (std::uint64_t k = 0; k < good.trace->trace().size(); ++k) {
    CHECK(good.trace->trace()[k].origin == Origin::agent);
    sends += good.trace->trace()[k].kind == EventKind::posted &&
             good.trace->trace()[k].verb == Verb::send;
  }
  CHECK(sends == 4);

  // The same boxes go on after a deadlock, and after an error of the program's.
  const CodeRun stuck = boxes.run(program(2), tasks(2, "both_send", 8));
  CHECK(stuck.result.status == JobResult::Status::deadlock);
  CHECK_FALSE(stuck.boxes_ended);
  const auto& found = stuck.trace->findings();
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].kind == Finding::Kind::deadlock);
  CHECK(found[0].site.starts_with("student.py:"));
  const CodeRun failed = boxes.run(program(2), tasks(2, "fails", 8));
  CHECK(failed.ranks[0].error.find("ValueError: not today (student.py, line") == 0);
  // Rank 0 waits for rank 1, which asks for a rank that there is not: the error is the outcome.
  const CodeRun left = boxes.run(program(2), tasks(2, "waits_for_nobody", 8));
  TraceMeta meta = left.meta;
  tell_first_error(left, meta);
  CHECK(meta.outcome->status == JobResult::Status::failed);
  CHECK(meta.outcome->failed_rank == 1);
  CHECK_THAT(meta.outcome->message, Catch::Matchers::Contains("rank 2 does not exist"));
  CHECK(boxes.starts() == 1);

  const CodeRun gone = boxes.run(program(3), tasks(3, "ends", 8));
  CHECK(gone.boxes_ended);
  CHECK_THAT(gone.trouble, Catch::Matchers::Contains("rank 1 ended with code 3"));
  // New ones for what follows.
  CHECK(boxes.run(program(3), tasks(3, "allreduce", 3)).result.ok());
  CHECK(boxes.starts() == 2);
}

constexpr std::string_view kGoesOn = R"(
import os
import time
import torch.distributed as dist

def goes_on(tensor):
    if dist.get_rank() == 1 and os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 64)
            time.sleep(1000)
        os._exit(0)

def comes_and_goes(tensor):
    if dist.get_rank() == 0 and os.fork() == 0:
        while True:
            if os.fork():
                os._exit(0)

def ends_soon(tensor):
    if os.fork() == 0:
        time.sleep(0.05)
        os._exit(0)

def has_helpers(tensor):
    import multiprocessing
    queue = multiprocessing.get_context("spawn").SimpleQueue()  # with a tracker of its own
    queue.put(1)
    queue.get()

def hidden_thread(tensor):
    import _thread
    def go_on():
        while True:
            time.sleep(0.1)
    _thread.start_new_thread(go_on, ())

def hides_behind_an_ended_thread(tensor):
    if dist.get_rank() == 0 and os.fork() == 0:
        import ctypes
        import threading
        threading.Thread(target=time.sleep, args=(1000,)).start()
        ctypes.CDLL(None).syscall(60, 0)  # this thread alone

def is_awaited(tensor):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)

def fails(tensor):
    goes_on(tensor)
    raise ValueError("not today")
)";

TEST_CASE("coding: a process that goes on after its rank returned is told, one that ends is not") {
  if (test::lacks_boxes_or_torch()) return;
  const TemporaryFolder folder;
  std::ofstream(folder / "student.py") << kGoesOn;
  CodeBoxes boxes(test::box_options(folder.path()), 2);
  for (const char* const harmless : {"ends_soon", "is_awaited", "has_helpers", "has_helpers"}) {
    const CodeRun run = boxes.run(program(2), tasks(2, harmless, 8));
    INFO(harmless << ": " << run.trouble);
    CHECK((run.result.ok() && !run.boxes_ended && !run.left_behind));
  }
  CHECK(boxes.starts() == 1);
  const CodeRun thread = boxes.run(program(2), tasks(2, "hidden_thread", 8));
  CHECK_THAT(thread.ranks[0].error, Catch::Matchers::Contains("a thread that it started goes on"));
  boxes.forget();
  const CodeRun daemon = boxes.run(program(2), tasks(2, "goes_on", 8));
  CHECK((daemon.left_behind && daemon.boxes_ended));
  CHECK_THAT(daemon.trouble, Catch::Matchers::StartsWith(
                                 "rank 1 returned, and a process that it started goes on ("));
  CHECK(boxes.run(program(2), tasks(2, "hides_behind_an_ended_thread", 8)).left_behind);
  const CodeRun many = boxes.run(program(2), tasks(2, "comes_and_goes", 8));
  CHECK(many.left_behind);
  // It is ended, and the error is what is reported.
  const CodeRun failed = boxes.run(program(2), tasks(2, "fails", 8));
  CHECK_FALSE(failed.left_behind);
  CHECK_THAT(failed.ranks[0].error, Catch::Matchers::StartsWith("ValueError: not today"));
  CHECK(boxes.run(program(2), tasks(2, "is_awaited", 8)).result.ok());
  CHECK(boxes.starts() == 6);
}

constexpr std::string_view kTooLong = R"(
import time

def sleeps(tensor):
    time.sleep(1000)

def computes(tensor):
    while True:
        pass
)";

TEST_CASE("coding: a program that sleeps too long is not late because of what runs beside it") {
  if (test::lacks_boxes_or_torch()) return;
  const TemporaryFolder folder;
  std::ofstream(folder / "student.py") << kTooLong;
  const unsigned more = 2 * std::thread::hardware_concurrency() + 2;
  CodeBoxes boxes(test::box_options(folder.path()), static_cast<int>(more));
  JobSpec spec = program(2);
  spec.recording.timeout_s = 5;  // of which its start waits for a processor where others run
  const CodeRun asleep = boxes.run(spec, tasks(2, "sleeps", 4));
  CHECK(asleep.result.status == JobResult::Status::timeout);
  const bool told = own_runnable_s().has_value();
  CHECK(asleep.slept == (told && box_support().sandbox));

  // These wait for each other's processor.
  spec.recording.timeout_s = 2;
  spec.world.size = static_cast<int>(more);
  const CodeRun busy = boxes.run(spec, tasks(spec.world.size, "computes", 4));
  CHECK(busy.result.status == JobResult::Status::timeout);
  CHECK_FALSE(busy.slept);
}

TEST_CASE("coding: libraries that cannot be loaded, or not in time, are not the program's fault") {
  if (test::lacks_boxes_or_torch()) return;
  const TemporaryFolder folder;
  std::ofstream(folder / "student.py") << "def nothing(tensor): pass\n";
  CodeBoxesOptions slow = test::box_options(folder.path());
  slow.start_timeout_s = 0.01;
  CodeBoxes late(slow, 1);
  CHECK_THROWS_WITH(late.run(program(1), tasks(1, "nothing", 1)),
                    Catch::Matchers::Contains("were not loaded within 0.01 s") &&
                        Catch::Matchers::Contains("Grade the program again"));
  CodeBoxesOptions without = test::box_options(folder.path());
  without.python_files = folder.path();
  CodeBoxes lacking(without, 1);
  CHECK_THROWS_WITH(lacking.run(program(1), tasks(1, "nothing", 1)),
                    Catch::Matchers::Contains("could not be loaded: ") &&
                        Catch::Matchers::Contains("No module named"));
}

constexpr std::string_view kLooks = R"(
import os
import signal
import socket
import torch
import torch.distributed as dist

kept = []

def looks(tensor):
    n, r = dist.get_world_size(), dist.get_rank()
    for place in ("/tmp", "/dev/shm"):
        open("%s/mark-%d" % (place, r), "w").close()
    mine = socket.socket(socket.AF_UNIX)
    mine.bind("\0rankscope-%d" % r)
    mine.listen()
    kept.append(mine)
    dist.barrier()
    found = []
    for other in range(n):
        if other == r:
            continue
        for place in ("/tmp", "/dev/shm", "/proc/1/root/tmp"):
            if os.path.exists("%s/mark-%d" % (place, other)):
                found.append("a file in " + place)
        try:
            socket.socket(socket.AF_UNIX).connect("\0rankscope-%d" % other)
            found.append("a socket")
        except OSError:
            pass
    processes = [name for name in os.listdir("/proc") if name.isdigit()]
    if len(processes) != 2:
        found.append("processes " + str(processes))
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        if int(status[name], 16) != 0:
            found.append(name)
    if int(status["Seccomp"]) != 2 or int(status["NoNewPrivs"]) != 1:
        found.append("no filter")
    for call in (lambda: os.kill(1, signal.SIGKILL), lambda: os.kill(1, signal.SIGTERM)):
        call()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.kill(0, signal.SIGTERM)
    try:
        os.kill(-1, signal.SIGTERM)
    except ProcessLookupError:
        pass
    tensor.fill_(float(len(found)))
    if found:
        raise RuntimeError("; ".join(found))
    return tensor

def both(tensor):
    if dist.get_rank() == 0:
        dist.send(tensor, 1)
    else:
        dist.recv(tensor, 0)
    return tensor
)";

TEST_CASE("coding: the transport of shared memory is refused to programs in boxes") {
  if (test::lacks_boxes_or_torch()) return;
  const TemporaryFolder folder;
  std::ofstream(folder / "student.py") << kLooks;
  CodeBoxes boxes(test::box_options(folder.path()), 2);
  JobSpec spec = program(2);
  spec.transport.name = kSharedTransport;
  CHECK_THROWS_WITH(boxes.run(spec, tasks(2, "looks", 4)), ContainsSubstring("share no memory"));
  CHECK(boxes.starts() == 0);
}

TEST_CASE("coding: the ranks of a program share nothing but messages") {
  if (test::lacks_boxes_or_torch()) return;
  const TemporaryFolder folder;
  // Each rank leaves what another one could find, waits until all have, looks, and tries to end the others.
  std::ofstream(folder / "student.py") << kLooks;
  CodeBoxes boxes(test::box_options(folder.path()), 3);
  const CodeRun run = boxes.run(program(3), tasks(3, "looks", 4));
  for (const auto& rank : run.ranks) {
    CHECK(rank.error.empty());
    CHECK(first_value(rank, "return|float32") == 0);
  }
  CHECK_FALSE(run.boxes_ended);
  CHECK(boxes.run(program(2), tasks(2, "both", 4)).result.ok());
  CHECK(boxes.starts() == 1);
}
