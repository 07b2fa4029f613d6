// The sample runs, their jobs, and small runs for the first page.
#include "gui/state/files/samples.h"

#include <array>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/run/job/job_fields.h"
#include "engine/run/make_runner.h"
#include "gui/state/command/command.h"
#include "gui/state/run/job_changes.h"
#include "gui/state/run/recording.h"
#include "gui/state/run/sentence.h"

namespace rankscope::gui {
namespace {

constexpr std::array<Sample, 7> kSamples = {{
    {"tree", "Broadcast by a tree", "Each step doubles how many have the data.",
     "broadcast.binomial ranks=8 count=16"},
    {"ring", "Ring allreduce", "Chunks gather contributions on their way.",
     "allreduce.ring ranks=4 count=16"},
    {"doubling", "Recursive doubling", "Pairs exchange all that they have, log P times.",
     "allreduce.bde ranks=8 count=16"},
    {"alltoall", "All-to-all", "Every rank has one piece for every other rank.",
     "alltoall.pairwise ranks=4 shape=4x4"},
    {"hierarchical", "Hierarchical allreduce", "Inside groups first, then between them.",
     "allreduce.hierarchical ranks=8 count=16"},
    {"deadlock", "A deadlock", "All send first: who waits for whom?",
     "exercise.ring_e ranks=4 count=16 mode=rendezvous"},
    {"sixteen", "Ring of sixteen", "What scales, and what waits.",
     "allreduce.ring ranks=16 count=64"},
}};

}  // namespace

std::span<const Sample> samples() noexcept { return kSamples; }
std::span<const Sample> sample_cards() noexcept { return samples().first(kSampleCards); }

JobSpec job_of(const Sample& sample, JobSpec job) {
  if (job.is_simulated()) {
    forget_network(job);
    job.transport.name = kDefaultTransport;
  }
  job.transport.mode = SendMode::buffered;
  job.world.delays_us.clear();
  job.call.root = 0;
  set_job_words(job, parse_words(sample.job));
  return job;
}

DocumentPtr small_run_of(JobSpec job) {
  if (is_long(job)) job = in_virtual_time(std::move(job));
  if (!job.is_simulated()) job.transport.name = kThreadTransport;
  TraceMeta meta = meta_of(job);
  Recording events(meta, "", [] {});
  const auto runner = make_runner(job.transport.name);
  const JobResult result = runner->run(job, events);
  add_outcome(meta, *runner, result);
  events.close(std::move(meta));
  return Document::make(events.builder().finish(), "");
}

const Sample& sample_named(std::string_view name) {
  const auto found = ranges::find(kSamples, name, &Sample::name);
  if (found != kSamples.end()) return *found;
  const auto names = kSamples | std::views::transform(&Sample::name);
  throw UserError(
      fmt::format("there is no sample \"{}\": choose {}", name, fmt::join(names, ", ")));
}

}  // namespace rankscope::gui
