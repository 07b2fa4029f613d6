// Writes the figures of steps with and without overlap as text and JSON, and chooses what is drawn of them.
#include "cli/train/overlap_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/terminal/table.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/quantity.h"

namespace rankscope::cli {
namespace {

using training::OverlapMeasured;
using training::StepFigures;

std::string equality_of(const OverlapMeasured& one, const Style& style) {
  if (one.different > 0)
    return style.bad(fmt::format("NO: {}", counted(one.different, "other element")));
  return one.ranks_agree ? style.good("yes") : style.bad("NO: ranks differ");
}

constexpr Unit kMilliseconds{.size = 1e6, .name = "ms", .whole = false};

std::string milliseconds(std::int64_t ns) { return kMilliseconds.text(static_cast<double>(ns)); }

std::string summary_table(std::span<const OverlapMeasured> all, const Style& style) {
  Table table({{"bucket size"},
               {"buckets"},
               {"apart"},
               {"overlapped"},
               {"saved"},
               {"computing"},
               {"allreduce"},
               {"hidden"},
               {"exposed"},
               {"closed form"},
               {"slack"},
               {"expected"},
               {"same bits"}});
  for (const OverlapMeasured& one : all) {
    const StepFigures& with = one.slowest(true);
    const double saved = 1 - double(one.step_ns(true)) / double(one.step_ns(false));
    table.add_row({amount_text(one.run.bucket_bytes), fmt::format("{}", with.allreduces.size()),
                   milliseconds(one.step_ns(false)), milliseconds(one.step_ns(true)),
                   fmt::format("{:.0f} %", 100 * saved), milliseconds(with.times.computing),
                   milliseconds(with.times.communicating), milliseconds(with.times.hidden),
                   milliseconds(with.times.exposed), milliseconds(with.closed_form),
                   milliseconds(with.slack), milliseconds(one.expected_exposed()),
                   equality_of(one, style)});
  }
  return table.to_string(style);
}

std::string rank_table(const OverlapMeasured& one, const Style& style) {
  Table table({{"rank"},
               {"overlapped"},
               {"computing"},
               {"allreduce"},
               {"hidden"},
               {"exposed"},
               {"closed form"},
               {"slack"}});
  for (const StepFigures& rank : one.overlapped)
    table.add_row({fmt::format("{}", rank.rank), milliseconds(rank.times.total),
                   milliseconds(rank.times.computing), milliseconds(rank.times.communicating),
                   milliseconds(rank.times.hidden), milliseconds(rank.times.exposed),
                   milliseconds(rank.closed_form), milliseconds(rank.slack)});
  return fmt::format("\nBuckets of {}, by rank:\n{}", amount_text(one.run.bucket_bytes),
                     table.to_string(style, 2));
}

nlohmann::json json_of(const StepFigures& one) {
  auto buckets = nlohmann::json::array();
  for (std::size_t j = 0; j < one.allreduces.size(); ++j)
    buckets.push_back({{"full_ns", one.full[j]},
                       {"startable_ns", one.startable[j]},
                       {"begin_ns", one.allreduces[j].begin},
                       {"end_ns", one.allreduces[j].end}});
  return {{"rank", one.rank},
          {"step_ns", one.times.total},
          {"computing_ns", one.times.computing},
          {"communicating_ns", one.times.communicating},
          {"hidden_ns", one.times.hidden},
          {"exposed_ns", one.times.exposed},
          {"closed_form_ns", one.closed_form},
          {"slack_ns", one.slack},
          {"backward_end_ns", one.computed},
          {"buckets", std::move(buckets)}};
}

nlohmann::json json_of(std::span<const StepFigures> ranks) {
  auto out = nlohmann::json::array();
  for (const StepFigures& one : ranks) out.push_back(json_of(one));
  return out;
}

std::string figures_text(const OverlapMeasured& measured, bool overlapped) {
  const OverlapTimes& times = measured.slowest(overlapped).times;
  return fmt::format("{}: computing {}, communicating {}, of that exposed {}",
                     time_text(times.total), time_text(times.computing),
                     time_text(times.communicating), time_text(times.exposed));
}

}  // namespace

std::string overlap_text(std::span<const OverlapMeasured> all, bool per_rank, const Style& style) {
  std::string out = fmt::format("Times in {}, of the slowest rank.\n", kMilliseconds.name) +
                    summary_table(all, style);
  if (per_rank)
    for (const OverlapMeasured& one : all) out += rank_table(one, style);
  return out;
}

std::string overlap_json(std::span<const OverlapMeasured> all) {
  auto out = nlohmann::json::array();
  for (const OverlapMeasured& one : all)
    out.push_back({{"bucket_bytes", one.run.bucket_bytes},
                   {"allreduce", one.run.allreduce},
                   {"network", one.run.stack.empty() ? "lenet" : "made-up layers"},
                   {"step_apart_ns", one.step_ns(false)},
                   {"step_overlapped_ns", one.step_ns(true)},
                   {"slowest_rank", one.slowest(true).rank},
                   {"expected_exposed_ns", one.expected_exposed()},
                   {"same_bits", one.different == 0},
                   {"different_elements", one.different},
                   {"ranks_agree", one.ranks_agree},
                   {"apart", json_of(std::span<const StepFigures>(one.apart))},
                   {"overlapped", json_of(std::span<const StepFigures>(one.overlapped))}});
  return dump_json(nlohmann::json{{"sizes", std::move(out)}}, 2) + "\n";
}

OverlapTimeline overlap_picture(const Trace& trace, const OverlapMeasured& measured) {
  using namespace training;
  return {
      .title = fmt::format("{} on {}, buckets of {}",
                           measured.run.stack.empty() ? "A step of LeNet-5" : "A training step",
                           counted(static_cast<std::uint64_t>(trace.world_size()), "rank"),
                           amount_text(measured.run.bucket_bytes)),
      .caption = fmt::format("Above: what a rank computes; below: the allreduces of its buckets "
                             "({}). Figures of the slowest rank",
                             measured.run.allreduce),
      .panels = {{.title = "Averaged after the backward pass",
                  .figures = figures_text(measured, false),
                  .ranks = work_of_ranks(trace, kApartPhase)},
                 {.title = "Averaged while it goes on",
                  .figures = figures_text(measured, true),
                  .ranks = work_of_ranks(trace, kOverlappedPhase)}}};
}

}  // namespace rankscope::cli
