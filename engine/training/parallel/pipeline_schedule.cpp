// Orders a stage's slots, and computes when they can begin.
#include "engine/training/parallel/pipeline_schedule.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope::training {
namespace {

constexpr double kNotYet = std::numeric_limits<double>::infinity();

/// The times at which each microbatch leaves each stage.
class Passed {
 public:
  Passed(int microbatches, int stages)
      : microbatches_(microbatches),
        stages_(stages),
        forward_(static_cast<std::size_t>(microbatches * stages), kNotYet),
        backward_(forward_) {}

  double& at(int stage, const PipelineSlot& slot) {
    auto& all = slot.backward ? backward_ : forward_;
    return all[static_cast<std::size_t>(stage * microbatches_ + slot.microbatch)];
  }
  /// Returns when the slot's input is there: the neighbour's output or, backward on the last stage, its own forward
  /// slot's.
  double input_of(int stage, const PipelineSlot& slot) {
    if (!slot.backward) return stage == 0 ? 0 : at(stage - 1, slot);
    const PipelineSlot forward{.backward = false, .microbatch = slot.microbatch};
    return stage == stages_ - 1 ? at(stage, forward) : at(stage + 1, slot);
  }

 private:
  int microbatches_, stages_;
  std::vector<double> forward_, backward_;
};

}  // namespace

std::string_view title_of(PipelineKind kind) noexcept {
  return kind == PipelineKind::gpipe ? "GPipe" : "1F1B";
}

std::vector<PipelineSlot> pipeline_schedule(PipelineKind kind, int stage, int microbatches,
                                            int stages) {
  if (stages < 1 || stage < 0 || stage >= stages)
    throw UserError(fmt::format("there is no stage {} in a pipeline of {}", stage, stages));
  if (microbatches < 1) throw UserError("a pipeline needs 1 or more microbatches");
  std::vector<PipelineSlot> slots;
  const auto forward = [&](int m) { slots.push_back({.backward = false, .microbatch = m}); };
  const auto backward = [&](int m) { slots.push_back({.backward = true, .microbatch = m}); };
  if (kind == PipelineKind::gpipe) {
    for (int m = 0; m < microbatches; ++m) forward(m);
    for (int m = microbatches - 1; m >= 0; --m) backward(m);
    return slots;
  }
  // Number of microbatches that go forward before the first one comes back.
  const int ahead = std::min(stages - stage - 1, microbatches);
  for (int m = 0; m < ahead; ++m) forward(m);
  for (int m = 0; m < microbatches; ++m) {
    if (ahead + m < microbatches) forward(ahead + m);
    backward(m);
  }
  return slots;
}

int most_activations(const std::vector<PipelineSlot>& schedule) {
  int kept = 0, most = 0;
  for (const PipelineSlot& slot : schedule) most = std::max(most, kept += slot.backward ? -1 : 1);
  return most;
}

int most_activations(PipelineKind kind, int stage, int microbatches, int stages) {
  return kind == PipelineKind::gpipe ? microbatches : std::min(stages - stage, microbatches);
}

double bubble_share(int microbatches, int stages) {
  return double(stages - 1) / double(microbatches + stages - 1);
}

std::vector<std::vector<TimedSlot>> pipeline_times(PipelineKind kind, int microbatches, int stages,
                                                   SlotTimes times) {
  std::vector<std::vector<PipelineSlot>> schedules;
  for (int stage = 0; stage < stages; ++stage)
    schedules.push_back(pipeline_schedule(kind, stage, microbatches, stages));
  std::vector<std::vector<TimedSlot>> out(schedules.size());
  Passed passed(microbatches, stages);
  std::size_t left = 0;
  for (const auto& one : schedules) left += one.size();
  while (left > 0) {
    const std::size_t before = left;
    for (int stage = 0; stage < stages; ++stage) {
      const auto& schedule = schedules[static_cast<std::size_t>(stage)];
      auto& timed = out[static_cast<std::size_t>(stage)];
      for (; timed.size() < schedule.size(); --left) {
        const PipelineSlot slot = schedule[timed.size()];
        const double input = passed.input_of(stage, slot);
        if (input == kNotYet) break;
        const double begin = std::max(input, timed.empty() ? 0 : timed.back().end);
        const double end = begin + (slot.backward ? times.backward : times.forward);
        timed.push_back({slot, begin, end});
        passed.at(stage, slot) = end;
      }
    }
    assert(left < before && "stages that wait for each other");
    if (left == before) break;
  }
  return out;
}

}  // namespace rankscope::training
