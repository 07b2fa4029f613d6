// Measures how many programs of a class are graded in a minute, in boxes, as `rankscope grade --code` does it.
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/program/program_files.h"
#include "cli/terminal/output.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/error.h"
#include "engine/core/base/scratch_folder.h"
#include "lessons/coding/grader.h"
#include "lessons/coding/loaded_libraries.h"
#include "lessons/course/read_lesson.h"

namespace rankscope::cli {
namespace {

struct GradedProgram {
  std::string_view name, exercise, file, text;
};

constexpr GradedProgram kTorch = {"torch, up to 9 ranks", "my-allreduce", "my_allreduce.py", R"(
import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, size = dist.get_rank(), dist.get_world_size()
    mine = tensor.contiguous()
    if rank == 0:
        total, other = mine.clone(), torch.empty_like(mine)
        for peer in range(1, size):
            dist.recv(other, peer)
            total += other
        for peer in range(1, size):
            dist.send(total, peer)
    else:
        total = mine.clone()
        dist.send(mine, 0)
        dist.recv(total, 0)
    tensor.copy_(total)
    return tensor
)"};
constexpr GradedProgram kNumpy = {"NumPy and mpi4py, up to 4 ranks", "first-come", "first_come.py",
                                  R"(
import numpy as np
from mpi4py import MPI


def my_allgather(comm, mine):
    rank, size = comm.Get_rank(), comm.Get_size()
    out = np.empty((size,) + mine.shape, mine.dtype)
    out[rank] = mine
    if rank == 0:
        for source in range(1, size):
            comm.Recv(out[source], source=source)
        for peer in range(1, size):
            comm.Send(out, dest=peer)
    else:
        comm.Send(np.ascontiguousarray(mine), dest=0)
        comm.Recv(out, source=0)
    return out.reshape((size * mine.shape[0],) + mine.shape[1:])
)"};
constexpr GradedProgram kCpp = {"C++, up to 9 ranks", "my-allreduce", "my_allreduce.cpp", R"(
#include <rankscope.hpp>

template <class T>
void my_allreduce(rankscope::Communicator& comm, std::span<T> data) {
  if (comm.rank() != 0) {
    comm.send(0, data);
    comm.recv(0, data);
    return;
  }
  std::vector<T> other(data.size());
  for (int peer = 1; peer < comm.size(); ++peer) {
    comm.recv(peer, std::span(other));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] += other[i];
  }
  for (int peer = 1; peer < comm.size(); ++peer) comm.send(peer, data);
}
)"};
// Each receive takes any message, so each case is run in another order, too.
constexpr GradedProgram kWorst = {"receives from anybody", "my-allgather", "my_allgather.py", R"(
import torch
import torch.distributed as dist


def my_allgather(tensor):
    rank, size = dist.get_rank(), dist.get_world_size()
    mine = tensor.contiguous()
    blocks = torch.empty((size,) + tuple(mine.shape), dtype=mine.dtype)
    blocks[rank] = mine
    sent = [dist.isend(mine, peer) for peer in range(size) if peer != rank]
    box = torch.empty_like(mine)
    for _ in range(size - 1):
        source = dist.recv(box)
        blocks[source] = box
    for work in sent:
        work.wait()
    return blocks.reshape((size * mine.shape[0],) + tuple(mine.shape[1:]))
)"};

/// Grades one program again and again, on as many threads as `rankscope grade` has.
class GradingRate {
 public:
  GradingRate(const LessonLibrary& library, const CodeBoxesOptions& boxes, const GradedProgram& one)
      : exercise_(exercise_named(library, std::string(one.exercise))), name_(one.name) {
    write_whole((folder_.path() / one.file).string(), one.text.substr(1));
    grader_.boxes = boxes;
    grader_.boxes.submission = folder_.path();
  }

  /// Returns submissions per minute; nothing when interrupted. Throws UserError for a program that does not get all
  /// points.
  std::optional<double> measure(int count, unsigned threads) {
    std::atomic<int> next{0};
    const auto began = Clock::now();
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < threads; ++i)
      workers.emplace_back([&] {
        while (next++ < count && !failed_) grade();
      });
    for (std::thread& worker : workers) worker.join();
    const std::chrono::duration<double, std::ratio<60>> took = Clock::now() - began;
    if (interrupted_) return std::nullopt;
    if (!failure_.empty()) throw UserError(failure_);
    return count / took.count();
  }

 private:
  void grade() {
    std::string failure;
    bool interrupted = false;
    try {
      const CodeGrade grade = grade_code(exercise_, grader_);
      interrupted = grade.interrupted;
      if (grade.verdict.points < grade.verdict.most)
        failure =
            fmt::format("bench: a right program ({}) gets {}", name_, grade_text(exercise_, grade));
    } catch (const std::exception& error) {
      failure = error.what();
    }
    const std::lock_guard lock(mutex_);
    interrupted_ = interrupted_ || interrupted;
    if (failure_.empty()) failure_ = interrupted ? "interrupted" : std::move(failure);
    failed_ = !failure_.empty();
  }

  const CodingExercise& exercise_;
  const std::string name_;
  const ScratchFolder folder_{"graded", ScratchFolder::For::everybody};
  CodeGraderOptions grader_;
  std::mutex mutex_;
  std::atomic<bool> failed_{false};
  std::string failure_;
  bool interrupted_ = false;
};

double seconds_of(const std::function<void()>& what) {
  const auto began = Clock::now();
  what();
  return std::chrono::duration<double>(Clock::now() - began).count();
}

}  // namespace

void bench_grading(const BenchOptions& options, BenchReport& report) {
  constexpr double kLeast = 60, kLongest = 8;                     // a minute; seconds
  constexpr double kStudents = 300, kPrograms = 8, kWithin = 45;  // minutes
  const LessonLibrary library(lessons_folder());
  CodeBoxesOptions boxes = code_boxes_options(false);
  if (!boxes.support.works()) {
    report.goals.push_back({"Grading programs in boxes", boxes.support.problem, {}});
    report.goals.back().verdict = Goal::Verdict::unknown;
    return;
  }
  boxes.interrupt_fd = options.interrupt_fd;
  share_for_class(boxes);
  options.progress("grading: loading libraries, compiling headers");
  const double loading = seconds_of([&] { boxes.libraries->ready(boxes); });
  const double compiling = seconds_of([&] { boxes.headers->folder(boxes); });
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  const int count = options.quick ? 6 : 16;
  double slowest = 0;
  for (const GradedProgram& one : {kTorch, kNumpy, kCpp}) {
    options.progress(fmt::format("grading: {}", one.name));
    const auto rate = GradingRate(library, boxes, one).measure(count, threads);
    if (!rate) return void(report.interrupted = true);
    report.goals.push_back(scored_goal(
        fmt::format("Grading: at least {} submissions a minute, {}", kLeast, one.name),
        fmt::format("{:.0f} a minute ({} of them, {} at a time)", *rate, count, threads),
        *rate / kLeast, fmt::format("grading-{}", one.exercise)));
    slowest = slowest == 0 ? *rate : std::min(slowest, *rate);
  }
  options.progress(fmt::format("grading: {}", kWorst.name));
  const auto alone = GradingRate(library, boxes, kWorst).measure(1, 1);
  if (!alone) return void(report.interrupted = true);
  report.goals.push_back(scored_goal(
      fmt::format("Grading: a right program with many {} in less than {} s", kWorst.name, kLongest),
      fmt::format("{:.1f} s", 60 / *alone), kLongest * *alone / 60, "grading-worst"));
  const double minutes = kStudents * kPrograms / slowest + (loading + compiling) / 60;
  report.goals.push_back(scored_goal(
      fmt::format("Grading: {} students with {} programs in less than {} minutes", kStudents,
                  kPrograms, kWithin),
      fmt::format("{:.0f} minutes, if each takes as long as the slowest kind above", minutes),
      kWithin / minutes, "grading-class"));
  report.notes.push_back(fmt::format(
      "Grading: libraries are loaded once for a class in {:.1f} s, headers compiled in {:.1f} s",
      loading, compiling));
}

}  // namespace rankscope::cli
