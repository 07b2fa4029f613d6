// The order in which each stage of a pipeline computes its microbatches: GPipe and 1F1B.
//
// M microbatches go through P stages: forward from stage 0 to P - 1, backward the other way. A stage computes one at a
// time, so its order decides how long it is idle and how many activations it has to keep.
#pragma once

#include <string_view>
#include <vector>

namespace rankscope::training {

enum class PipelineKind {
  /// All forward, then all backward, the last microbatch first (Huang et al., "GPipe", NeurIPS 2019, figure 2c).
  gpipe,
  /// PipeDream-Flush (Narayanan et al., "Memory-Efficient Pipeline-Parallel DNN Training", ICML 2021, section 2.3, and
  /// "Efficient Large-Scale Language Model Training on GPU Clusters", SC 2021, section 2.2.1): as soon as a stage has
  /// filled the pipeline behind it, one backward follows each forward.
  one_forward_one_backward,
};
std::string_view title_of(PipelineKind kind) noexcept;  ///< "GPipe", "1F1B"

/// A stage's work on one microbatch.
struct PipelineSlot {
  bool backward = false;
  int microbatch = 0;
  bool operator==(const PipelineSlot&) const = default;
};

/// Returns the slots of `stage` in their order: M forward, M backward. Throws UserError unless 0 <= stage < stages and
/// microbatches >= 1.
std::vector<PipelineSlot> pipeline_schedule(PipelineKind kind, int stage, int microbatches,
                                            int stages);

/// Returns the most microbatches whose activations a stage keeps: they went forward and not yet backward.
int most_activations(const std::vector<PipelineSlot>& schedule);
/// Returns the same in closed form: M for GPipe; min(P - stage, M) for 1F1B (SC 2021, section 2.2.1).
int most_activations(PipelineKind kind, int stage, int microbatches, int stages);

/// Returns the idle share of a stage's time if all stages take equally long: (P - 1)/(M + P - 1) (GPipe, section 2.3),
/// for 1F1B too. SC 2021 divides by the time without bubble instead, which gives (P - 1)/M.
double bubble_share(int microbatches, int stages);

/// How long one slot lasts on every stage, in any unit.
struct SlotTimes {
  double forward = 1;
  double backward = 2;  ///< Two matrix products for each one of forward.
};

struct TimedSlot {
  PipelineSlot slot;
  double begin = 0, end = 0;
};

/// Returns the slots' times by stage, if each begins once its stage is free and its input is there, and messages take
/// no time. Throws as pipeline_schedule().
std::vector<std::vector<TimedSlot>> pipeline_times(PipelineKind kind, int microbatches, int stages,
                                                   SlotTimes times = {});

}  // namespace rankscope::training
