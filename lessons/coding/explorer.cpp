// Runs a code exercise's cases in chosen orders for exploration.
#include "lessons/coding/explorer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/core/run/platform.h"
#include "lessons/coding/run_end.h"
#include "lessons/lesson/coding.h"

namespace rankscope {
namespace {

using explore::Outcome;

constexpr std::uint64_t kInputs = 1;  // seeds are for orders here: the inputs stay the same
constexpr std::chrono::hours kLongest{6};

}  // namespace

CodeExplorer::CodeExplorer(const CodingExercise& exercise, CodeExplorerOptions options)
    : exercise_(exercise), options_(std::move(options)) {
  const bool cpp = is_cpp(handed_in(exercise, options_.boxes.submission));
  if (cpp) {
    compiled_.emplace(exercise, options_.boxes);
    if (!compiled_->diagnostics().empty())
      throw UserError("the program cannot be compiled:\n" + compiled_->diagnostics());
    options_.boxes.program = compiled_->binary();
  }
  // Limits of all runs together: there may be thousands.
  options_.boxes.limits.wall = kLongest;
  options_.boxes.limits.cpu_seconds = std::chrono::duration<double>(kLongest).count();
  for (CodeCase one : cases_of(exercise, kInputs, cpp)) {
    one.delays_us.clear();  // who is late is the order's business
    if (one.ranks > 1) cases_.push_back(std::move(one));
  }
  if (cases_.empty())
    throw UserError(fmt::format("the exercise {} has no run of several ranks", exercise.id));
  const int most = std::ranges::max(cases_, {}, &CodeCase::ranks).ranks;
  boxes_.emplace(options_.boxes, most);
}

std::vector<int> CodeExplorer::ranks() const {
  std::vector<int> out;
  for (const CodeCase& one : cases_) out.push_back(one.ranks);
  return out;
}

explore::OrderSettings CodeExplorer::order() const {
  explore::OrderSettings out;
  out.may_wait = platform_of(exercise_.call.platform).mpi;
  out.compute_limit = explore::compute_limit_for(options_.run_timeout_s);
  return out;
}

std::string CodeExplorer::name_of(std::uint32_t which) const {
  return graded_case(exercise_, cases_.at(which)).describe();
}

Outcome CodeExplorer::run(std::uint32_t which, explore::InterleavingOrder& order) {
  if (which >= cases_.size())
    throw UserError(fmt::format("the exercise {} has {} cases: there is no case {}", exercise_.id,
                                cases_.size(), which));
  const CodeCase& one = cases_[which];
  Outcome out;
  CodeRun run =
      boxes_->run(job_of(exercise_, one, options_.run_timeout_s), tasks_of(exercise_, one), &order);
  out.trace = run.trace;
  out.meta = run.meta;
  out.interrupted = run.result.status == JobResult::Status::interrupted;
  out.failure = failure_in(exercise_, one, run);
  out.events = std::move(run.events);
  return out;
}

}  // namespace rankscope
