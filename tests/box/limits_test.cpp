// Programs that take too much: all boxes end, the reason is named, nothing is left.
#include <string>
#include <utility>
#include <vector>

#include "tests/box/boxes.h"
#include "tests/support/catch.h"

namespace rankscope::test {
namespace {

void check_ended(const BoxRun& run, BoxEnd why, const std::string& words) {
  INFO(run.box().err);
  CHECK(run.in_time);
  CHECK(run.left == std::vector<std::string>{});
  CHECK(std::string(name_of(run.outcome.end)) == name_of(why));
  CHECK_THAT(run.outcome.words, ContainsSubstring(words));
  for (const auto& box : run.outcome.boxes) {
    CHECK(std::string(name_of(box.end)) == name_of(why));
    CHECK(box.words == run.outcome.words);
  }
}

}  // namespace

TEST_CASE("a bomb of processes, of threads, or of children that nobody waits for is ended for them",
          "[serial]") {
  if (boxes_are_missing()) return;
  for (const char* name : {"fork_bomb", "thread_bomb", "zombie_bomb"}) {
    INFO(name);
    check_ended(run_boxes({attack(name)}), BoxEnd::processes,
                "more than 48 processes and threads at once");
  }
}

TEST_CASE("fork bombs of eight boxes share one limit", "[serial]") {
  if (boxes_are_missing()) return;
  auto limits = small_limits();
  limits.processes = 20;
  check_ended(run_boxes(std::vector<BoxSpec>(8, attack("fork_bomb")), limits), BoxEnd::processes,
              "more than 20 processes and threads at once (all ranks together)");
}

TEST_CASE("memory is limited in one process, in many, and where they share it") {
  if (boxes_are_missing()) return;
  for (const char* name : {"memory_bomb", "memory_sockets"}) {
    INFO(name);
    check_ended(run_boxes({attack(name)}), BoxEnd::memory, "used more than 200 MiB of memory");
  }
  auto limits = small_limits();
  limits.memory = 100 * kMiB;
  check_ended(run_boxes({attack("memory_forked")}, limits), BoxEnd::memory, "100 MiB of memory");
}

TEST_CASE("memory that processes share after a fork counts once") {
  if (boxes_are_missing()) return;
  auto limits = small_limits();
  limits.memory = 150 * kMiB;
  const auto run = run_boxes({attack("memory_copied_lazily")}, limits);
  INFO(run.box().words << run.box().err);
  CHECK(run.box().out == "contained\n");
  CHECK(run.outcome.end == BoxEnd::ended);
}

TEST_CASE("memory that is copied after it was measured counts") {
  if (boxes_are_missing()) return;
  auto limits = small_limits();
  limits.memory = 150 * kMiB;
  check_ended(run_boxes({attack("memory_copied_later")}, limits), BoxEnd::memory,
              "150 MiB of memory");
}

TEST_CASE("memory counts whatever a process is called, and when its first thread has ended") {
  if (boxes_are_missing()) return;
  for (const char* name : {"memory_by_name", "memory_without_leader"}) {
    INFO(name);
    check_ended(run_boxes({attack(name)}), BoxEnd::memory, "used more than 200 MiB of memory");
  }
}

TEST_CASE("a box has no huge pages, by which memory could grow unseen") {
  if (boxes_are_missing()) return;
  BoxSpec spec;
  spec.argv = {"grep", "THP_enabled", "/proc/self/status"};
  const auto run = run_boxes({spec});
  INFO(run.box().words << run.box().err);
  CHECK(run.box().out == "THP_enabled:\t0\n");
}

TEST_CASE("eight boxes, each under the limit, are over it together") {
  if (boxes_are_missing()) return;
  check_ended(run_boxes(std::vector<BoxSpec>(8, attack("memory_share", {"40"}))), BoxEnd::memory,
              "used more than 200 MiB of memory (all ranks together)");
}

TEST_CASE("a full /tmp or /dev/shm ends the program, even if it ends first") {
  if (boxes_are_missing()) return;
  for (const std::string place : {"/tmp", "/dev/shm"})
    for (const char* then : {"stay", "go"}) {
      INFO(place << " " << then);
      check_ended(run_boxes({attack("fill", {place, then})}), BoxEnd::disk, "filled its " + place);
    }
}

TEST_CASE("the files of all boxes share one limit") {
  if (boxes_are_missing()) return;
  auto limits = small_limits();
  limits.disk = 24 * kMiB;
  std::vector<BoxSpec> specs(4, attack("fill", {"/tmp", "stay"}));
  for (auto& spec : specs) spec.rlimits.file_size = 8 * kMiB;
  for (auto& spec : specs)
    spec.argv = {"/bin/sh", "-c", "dd if=/dev/urandom of=/tmp/f bs=1M count=7; sleep 60"};
  check_ended(run_boxes(std::move(specs), limits), BoxEnd::disk,
              "wrote more than 24 MiB into files (all ranks together)");
}

TEST_CASE("many empty files, and folders in folders, are ended for their number") {
  if (boxes_are_missing()) return;
  for (const char* name : {"many_files", "deep_folders"}) {
    INFO(name);
    check_ended(run_boxes({attack(name)}), BoxEnd::disk, "made more than 2,000 files");
  }
}

TEST_CASE("a flood of output is counted, kept in part, and ended") {
  if (boxes_are_missing()) return;
  const auto run = run_boxes({attack("output_flood")});
  check_ended(run, BoxEnd::output, "wrote more than 4 MiB of output");
  CHECK(run.box().out.size() == small_limits().output_kept);
  CHECK(run.box().err.size() == small_limits().output_kept);
  CHECK(run.box().out_bytes + run.box().err_bytes > 4 * kMiB);
}

TEST_CASE("endless computing is ended for processor time, in one process and in many short ones",
          "[serial]") {
  if (boxes_are_missing()) return;
  auto limits = small_limits();
  limits.cpu_seconds = 1;
  for (const char* name : {"endless_loop", "busy_children"}) {
    INFO(name);
    check_ended(run_boxes({attack(name)}, limits), BoxEnd::cpu_time, "computed for more than 1 s");
  }
}

TEST_CASE("whoever sleeps, ignores signals, or stops itself is ended at the wall clock's limit") {
  if (boxes_are_missing()) return;
  auto limits = small_limits();
  limits.wall = std::chrono::milliseconds(1500);
  check_ended(run_boxes({attack("sleep")}, limits), BoxEnd::wall_time, "took longer than 1.5 s");
  auto stopped = attack("stop_itself");
  stopped.name = "rank 5";
  check_ended(run_boxes({stopped}, limits), BoxEnd::wall_time,
              "took longer than 1.5 s (rank 5 had stopped itself by a signal)");
}

#if defined(__x86_64__)
TEST_CASE("a program that takes over its box's first process stays within the limits") {
  if (boxes_are_missing()) return;
  auto limits = small_limits();
  limits.cpu_seconds = 1;
  check_ended(run_boxes({attack("first_process")}, limits), BoxEnd::cpu_time, "computed for more");
  auto memory = attack("first_processes_memory");
  memory.rlimits.address_space = 0;
  check_ended(run_boxes({memory}), BoxEnd::memory, "used more than 200 MiB of memory");
}
#endif

TEST_CASE("a box that is ended takes the others of its group with it, and no other group") {
  if (boxes_are_missing()) return;
  BoxGroup other(boxes(), small_limits());
  other.start({attack("good", {"2"})});
  check_ended(run_boxes({attack("good", {"60"}), attack("fork_bomb")}), BoxEnd::processes,
              "(all ranks together)");
  REQUIRE(other.wait(test::kWaitLimit));
  CHECK(other.outcome().boxes[0].out == "contained\n");
}

}  // namespace rankscope::test
