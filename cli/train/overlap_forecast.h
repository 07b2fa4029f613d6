// `rankscope overlap --model`: the closed form for a network with a latency and a bandwidth, without any run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/console.h"
#include "engine/diagrams/overlap/overlap_timeline.h"
#include "engine/training/job/overlap_run.h"

namespace rankscope::cli {

/// "100us,1GiB": the latency of a message and bytes per second. Throws UserError.
training::NetworkModel parse_network(std::string_view text);
/// "5ms" in microseconds; `what` names the option in errors. Throws UserError.
double parse_time_us(std::string_view text, std::string_view what);

/// The step with one size of buckets, as the closed form has it.
struct Forecast {
  training::OverlapRun run;
  RankWork apart, overlapped;
};
/// One of each run. Throws UserError.
std::vector<Forecast> forecasts(const std::vector<training::OverlapRun>& runs,
                                const training::NetworkModel& network, int ranks);

std::string forecast_text(const std::vector<Forecast>& all, const Style& style);
std::string forecast_json(const std::vector<Forecast>& all);
/// The step without overlap, and below it with overlap for each size.
OverlapTimeline forecast_picture(const std::vector<Forecast>& all, int ranks);

}  // namespace rankscope::cli
