// Reads algorithms, sizes, times and bandwidths as people type them, and writes them again.
#include "cli/model/cost_options.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/sizes.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/model/costs/cost_table.h"

namespace rankscope::cli {

namespace {

/// Returns the seconds for reducing a byte, given as a time ("0.05ns"), as a rate ("20GB/s"), or as 0.
double parse_gamma(std::string_view text, std::string_view what) {
  if (text.ends_with("/s")) return 1 / parse_bandwidth(text, what);
  return parse_seconds(text, what);
}

}  // namespace

void CostOptions::add_to(OptionList app) {
  const OptionList call = app.in_group("The call");
  call.add_with_default("--ranks,--np", "COUNT", ranks, "Ranks");
  call.add_with_default("--bytes", "SIZE", bytes,
                        "Size of one rank's input (scatter: of the root's)");
  call.add_with_default("--dtype", "DTYPE", type,
                        "Type of an element; chunks are cut between elements");
  call.add_with_default("--root", "RANK", root, "Root of collectives that have one");
  call.add_option("--segment", "SIZE", segment, "Segment size of pipelined algorithms")
      .default_str("the algorithm's");
  call.add_option("--group", "COUNT", group, "Ranks in a group, of hierarchical algorithms")
      .default_str("about the square root of the ranks");
  call.add_option("--radix", "PARTS", radix, "Parts at each cut, of k-nomial trees and the like")
      .default_str("4");
  const OptionList network = app.in_group("The network: no two ranks share a link");
  network.add_with_default("--alpha", "TIME", alpha, "Latency of a message");
  network.add_with_default(
      "--bandwidth", "SIZE/s", bandwidth,
      "Bandwidth of each rank's port, in and out at once: 10GB/s, or 400Gb/s in bits; beta is "
      "1/bandwidth");
  network.add_with_default(
      "--gamma", "TIME", gamma,
      "Time to reduce one byte: 0.05ns, or 20GB/s for as many bytes per second");
}

std::vector<const Algorithm*> CostOptions::chosen() const {
  std::vector<const Algorithm*> out;
  const auto take = [&](const Algorithm& one) {
    if (ranges::find(out, &one) == out.end()) out.push_back(&one);
  };
  for (const std::string& name : algorithms) {
    bool any = false;
    for (const Algorithm& one : rankscope::algorithms())
      if (to_string(one.collective) == name && find_cost_row(one) != nullptr) take(one), any = true;
    if (any) continue;
    const Algorithm& one = require_algorithm(name);
    if (find_cost_row(one) == nullptr)
      throw UserError(
          fmt::format("there is no closed form of {}: choose one of `rankscope list`", one.name));
    take(one);
  }
  if (out.empty())
    throw UserError(
        "name an algorithm, such as allreduce.ring, or a collective for all its algorithms");
  return out;
}

CostSetting CostOptions::setting() const {
  constexpr int kMostRanks = 1 << 20;
  if (ranks < 1 || ranks > kMostRanks)
    throw UserError(fmt::format("--ranks is 1 to {}, not {}", kMostRanks, ranks));
  if (root < 0 || root >= ranks)
    throw UserError(
        fmt::format("--root is 0 to {} on {}, not {}", ranks - 1, plural(ranks, "rank"), root));
  if (group < 0) throw UserError("--group is 1 or more");
  if (radix < 0 || radix == 1) throw UserError("--radix is 2 or more");
  const auto found = parse_dtype(type);
  if (!found)
    throw UserError(fmt::format("--dtype: '{}' is not an element type: choose {}", type,
                                fmt::join(words_for("DTYPE"), ", ")));
  const DType dtype = *found;
  const std::uint64_t size = parse_size(bytes, "--bytes"), element = dtype_size(dtype);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 42;
  if (size > kMost) throw UserError("--bytes is at most 4TiB");
  if (size % element != 0)
    throw UserError(fmt::format(
        "--bytes: {} bytes are not a whole number of {} elements of {} bytes: choose a multiple, "
        "or --dtype uint8",
        size, type, element));
  CostSetting out;
  out.in = {.n = ranks,
            .shape = Shape::flat(static_cast<Count>(size / element)),
            .dtype = dtype,
            .root = root,
            .segment_bytes = segment.empty() ? 0 : parse_size(segment, "--segment"),
            .group_size = group,
            .radix = radix};
  if (!segment.empty() && out.in.segment_bytes < element)
    throw UserError(fmt::format("--segment is one element ({} B) or more", element));
  out.link = {parse_seconds(alpha, "--alpha"), 1 / parse_bandwidth(bandwidth, "--bandwidth"),
              parse_gamma(gamma, "--gamma")};
  return out;
}

std::string axis_value_text(CostAxis axis, double value) {
  switch (axis) {
    case CostAxis::bytes: return format_bytes(value);
    case CostAxis::ranks: return plural(std::llround(value), "rank");
    case CostAxis::alpha: return format_seconds(value);
    case CostAxis::bandwidth: break;
  }
  return bandwidth_text(value);
}

std::string setting_text(const CostSetting& setting, const CostAxis* without) {
  const auto own = [&](CostAxis axis) { return without != nullptr && *without == axis; };
  const double bytes = static_cast<double>(setting.in.shape.count()) *
                       static_cast<double>(dtype_size(setting.in.dtype));
  std::vector<std::string> parts;
  if (!own(CostAxis::bytes)) parts.push_back(format_bytes(bytes) + " a rank");
  if (!own(CostAxis::ranks)) parts.push_back(axis_value_text(CostAxis::ranks, setting.in.n));
  if (!own(CostAxis::alpha)) parts.push_back("latency " + format_seconds(setting.link.alpha));
  if (!own(CostAxis::bandwidth))
    parts.push_back(axis_value_text(CostAxis::bandwidth, 1 / setting.link.beta));
  if (setting.link.gamma > 0)
    parts.push_back("reducing " + axis_value_text(CostAxis::bandwidth, 1 / setting.link.gamma));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string fastest_text(const std::vector<FastestRange>& ranges,
                         const std::vector<const Algorithm*>& algorithms, CostAxis axis) {
  if (algorithms.size() < 2 || ranges.empty()) return "";
  const auto name = [&](const FastestRange& range) { return algorithms[range.algorithm]->name; };
  if (ranges.size() == 1)
    return fmt::format("{} is the fastest from {} to {}", name(ranges[0]),
                       axis_value_text(axis, ranges[0].from), axis_value_text(axis, ranges[0].to));
  std::string text = fmt::format("{} is the fastest", name(ranges[0]));
  for (std::size_t i = 1; i < ranges.size(); ++i)
    text +=
        fmt::format(" up to {}, then {}", axis_value_text(axis, ranges[i].from), name(ranges[i]));
  return text;
}

}  // namespace rankscope::cli
