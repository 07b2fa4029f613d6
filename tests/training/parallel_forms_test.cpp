// Every parallel form of the table: its outputs and gradients are the serial network's, and what it sends is what its
// lines say, to the byte.
#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "engine/analysis/overlap.h"
#include "engine/core/base/error.h"
#include "engine/training/job/parallel_run.h"
#include "engine/training/parallel/parallel_form.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"

using namespace rankscope;
using namespace rankscope::training;

namespace {

/// A step on threads, and its trace.
template <class T>
struct Ran {
  std::vector<StepResult<T>> ranks;
  Trace trace;
};
template <class T>
Ran<T> run_form(const ParallelForm& form, const ParallelSettings& settings, int ranks,
                SendMode mode = SendMode::buffered) {
  Ran<T> out;
  out.ranks.resize(static_cast<std::size_t>(ranks));
  out.trace = test::trace_of(
      ranks,
      [&](Communicator& comm) {
        out.ranks.at(static_cast<std::size_t>(comm.rank())) =
            form.functions<T>().step(comm, settings);
      },
      TraceLevel::full, mode);
  return out;
}

bool fits(const ParallelForm& form, const ParallelSettings& settings, int ranks) {
  try {
    form.check(settings, ranks);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

/// Each rank computes in the trace, and in none of its spans does it send or receive.
void check_computing(const Trace& trace, int ranks) {
  std::map<Rank, std::vector<Interval>> spans;
  for (const RankWork& work : work_of_ranks(trace))
    for (const WorkSpan& span : work.computing) spans[work.rank].push_back(span.time);
  CHECK(spans.size() == static_cast<std::size_t>(ranks));
  int within = 0;
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    if (event.kind != EventKind::posted && event.kind != EventKind::completed) continue;
    for (const Interval& span : spans[event.rank])
      within += span.begin < trace.time_ns(k) && trace.time_ns(k) < span.end ? 1 : 0;
  }
  CHECK(within == 0);
}

template <class T>
void check_form(const ParallelForm& form, ParallelSettings settings, int ranks, double most) {
  settings.float64 = std::is_same_v<T, double>;
  const Ran<T> ran = run_form<T>(form, settings, ranks);
  const StepResult<T> reference = form.functions<T>().reference(settings);
  std::vector<PieceExtent> pieces;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto& mine = ran.ranks[static_cast<std::size_t>(rank)];
    const StepError error = compare_step(mine, reference);
    INFO(fmt::format("rank {}: outputs {:g}, gradients {:g}, worst {}", rank, error.outputs,
                     error.gradients, error.worst));
    CHECK(error.outputs <= most);
    CHECK(error.gradients <= most);
    for (const PieceExtent& one : extents_of(mine)) pieces.push_back(one);
  }
  CHECK(missing_elements(extents_of(reference), pieces) == 0);

  const auto lines = form.lines(settings, ranks);
  const auto counts = count_lines(ran.trace, lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    INFO(lines[i].name);
    CHECK(counts[i].busiest() == lines[i].bytes);
  }
  INFO("outside of all lines");
  CHECK(counts.back().busiest() == 0);
  check_computing(ran.trace, ranks);
}

/// Shapes that each form takes for at least some numbers of ranks, even and not.
std::vector<TransformerShape> shapes() {
  return {
      {.layers = 2,
       .batch = 2,
       .sequence = 16,
       .width = 16,
       .heads = 8,
       .inner = 32,
       .vocabulary = 11},
      {.layers = 1, .batch = 1, .sequence = 8, .width = 8, .heads = 8, .inner = 8, .vocabulary = 3},
      {.layers = 3,
       .batch = 3,
       .sequence = 13,
       .width = 18,
       .heads = 9,
       .inner = 29,
       .vocabulary = 7},
      {.layers = 2,
       .batch = 8,
       .sequence = 5,
       .width = 12,
       .heads = 4,
       .inner = 17,
       .vocabulary = 5},
      {.layers = 8,
       .batch = 4,
       .sequence = 8,
       .width = 8,
       .heads = 2,
       .inner = 8,
       .vocabulary = 4}};
}

}  // namespace

TEST_CASE("training: every parallel form gives the serial network's outputs and gradients",
          "[parallel]") {
  for (const ParallelForm& form : parallel_forms()) {
    std::set<int> tried;
    for (const TransformerShape& shape : shapes())
      for (const int ranks : {1, 2, 3, 4, 8}) {
        const ParallelSettings settings{.shape = shape, .seed = 5};
        if (!fits(form, settings, ranks)) continue;
        INFO(fmt::format("{} on {} ranks, {} layers, batch {}, sequence {}, {} heads", form.name,
                         ranks, shape.layers, shape.batch, shape.sequence, shape.heads));
        check_form<double>(form, settings, ranks, 1e-11);
        check_form<float>(form, settings, ranks, 1e-4);
        tried.insert(ranks);
      }
    INFO(form.name);
    for (const int ranks : {1, 2, 4, 8}) CHECK(tried.contains(ranks));
  }
}

TEST_CASE("training: parallel forms run when no send is buffered", "[parallel]") {
  for (const ParallelForm& form : parallel_forms()) {
    ParallelSettings settings;
    for (const TransformerShape& shape : shapes())
      if (fits(form, {.shape = shape}, 4)) settings.shape = shape;
    INFO(form.name);
    const auto ran = run_form<double>(form, settings, 4, SendMode::rendezvous);
    CHECK(compare_step(ran.ranks[2], form.of_double.reference(settings)).gradients < 1e-11);
  }
}

TEST_CASE("training: parallel forms have names, sources and lines that differ", "[parallel]") {
  std::set<std::string_view> names;
  for (const ParallelForm& form : parallel_forms()) {
    INFO(form.name);
    CHECK(names.insert(form.name).second);
    CHECK_THAT(std::string(form.source), ContainsSubstring("section"));
    std::set<std::string> lines;
    for (const CommunicationLine& line : form.lines({}, 4)) {
      INFO(line.name);
      CHECK(lines.insert(line.name).second);
      CHECK(line.calls > 0);
      CHECK(line.bytes > 0);
      CHECK(!line.formula.empty());
    }
    CHECK(!lines.empty());
  }
  CHECK_THROWS_WITH(require_parallel_form("tensors"), ContainsSubstring("did you mean 'tensor'?"));
}

TEST_CASE("training: a wrong step does not pass for the serial one", "[parallel]") {
  const ParallelSettings settings{.shape = shapes()[1]};
  const auto reference = serial_step<double>(settings);
  auto mine = reference;
  CHECK(compare_step(mine, reference).gradients == 0);
  CHECK(compare_step(mine, reference).elements > 100);
  mine.gradients[7].values.at[0] += 1;
  CHECK(compare_step(mine, reference).gradients > 0.1);
  CHECK(compare_step(mine, reference).worst == mine.gradients[7].tensor);
  mine.outputs[1].values.at[0] = std::numeric_limits<double>::quiet_NaN();
  CHECK(compare_step(mine, reference).outputs == std::numeric_limits<double>::infinity());
  auto extents = extents_of(reference);
  CHECK(missing_elements(extents_of(reference), extents) == 0);
  extents.back().cols -= 1;
  CHECK(missing_elements(extents_of(reference), extents) == 1);
  mine.gradients[0].offset = 1;
  CHECK_THROWS_AS(compare_step(mine, reference), std::logic_error);
}

TEST_CASE("training: settings of a parallel step that cannot be are refused", "[parallel]") {
  const auto refused = [](const auto& change, const char* says) {
    ParallelSettings settings;
    change(settings);
    CHECK_THROWS_WITH(settings.validate(), ContainsSubstring(says));
  };
  CHECK_NOTHROW(ParallelSettings().validate());
  refused([](auto& s) { s.allreduce = "broadcast.flat"; }, "broadcast.flat is no allreduce");
  refused([](auto& s) { s.alltoall = "alltoall.pairwis"; }, "alltoall.pairwise");
  refused([](auto& s) { s.shape.heads = 5; }, "do not divide the width");
  refused([](auto& s) { s.microbatches = 0; }, "microbatch");
  CHECK_THROWS_WITH(require_parallel_form("tensor").check({}, 16),
                    ContainsSubstring("too few for 16 ranks"));
}
