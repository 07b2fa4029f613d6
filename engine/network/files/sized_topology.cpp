// Finds the parameters with which a family has a number of ranks, and changes sizes and speeds as a name says.
#include "engine/network/files/sized_topology.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "engine/network/families/families.h"
#include "engine/network/files/topology_file.h"

namespace rankscope {
namespace {

FamilyValue one_number(int value) { return std::vector<int>{value}; }

int whole_of(const FamilyCall& call, std::string_view name, int otherwise) {
  const auto found = call.values.find(name);
  if (found == call.values.end()) return otherwise;
  const auto* const numbers = std::get_if<std::vector<int>>(&found->second);
  return numbers == nullptr || numbers->empty() ? otherwise : numbers->front();
}

/// Returns the number of ranks as a product of this many factors of 2 or more, as equal as they can be, the smallest
/// first; nothing if there is none, or if the longest side is more than four times the shortest.
std::optional<std::vector<int>> sides_of(int ranks, std::size_t dimensions) {
  std::vector<int> sides;
  for (std::size_t left = dimensions; left > 1; --left) {
    int side = 1;
    for (int one = 2;; ++one) {
      std::int64_t power = 1;
      for (std::size_t i = 0; i < left; ++i) power *= one;
      if (power > ranks) break;
      if (ranks % one == 0) side = one;
    }
    sides.push_back(side);
    ranks /= side;
  }
  sides.push_back(ranks);
  if (sides.front() < 2 || sides.back() > 4 * sides.front()) return std::nullopt;
  return sides;
}

std::vector<int> torus_of(int ranks, std::size_t dimensions) {
  for (int many = ranks;; ++many)
    if (auto sides = sides_of(many, dimensions)) return *sides;
}

void size_fat_tree(FamilyCall& call, int ranks) {
  int best = 0;
  for (int ports = 2; ports <= 64; ports += 2)
    for (const int levels : {2, 3}) {
      const int many = levels == 2 ? ports * ports / 2 : ports * ports * ports / 4;
      if (many < ranks || (best > 0 && many >= best)) continue;
      best = many;
      call.values["ports"] = one_number(ports);
      call.values["levels"] = one_number(levels);
    }
}

/// As in Kim et al., "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008: routers =
/// 2 * ranks_per_router = 2 * global_links.
void size_dragonfly(FamilyCall& call, int ranks) {
  int each = 1;
  while (2 * each * each * (2 * each * each + 1) < ranks) ++each;
  call.values["routers"] = one_number(2 * each);
  call.values["ranks_per_router"] = call.values["global_links"] = one_number(each);
  call.values["groups"] = one_number(0);
}

/// Returns false for a family that has no sizes.
bool set_size(FamilyCall& call, int ranks) {
  const std::string_view family = call.name;
  if (family == "torus" || family == "mesh") {
    const auto* const now = std::get_if<std::vector<int>>(&call.values["dimensions"]);
    call.values["dimensions"] = torus_of(ranks, now == nullptr || now->empty() ? 2 : now->size());
  } else if (family == "hypercube") {
    int dimensions = 1;
    while ((1 << dimensions) < ranks) ++dimensions;
    call.values["dimensions"] = one_number(dimensions);
  } else if (family == "fat-tree") {
    size_fat_tree(call, ranks);
  } else if (family == "dragonfly") {
    size_dragonfly(call, ranks);
  } else if (family == "gpu-cluster") {
    const int gpus = whole_of(call, "gpus", 8);
    call.values["hosts"] = one_number((ranks + gpus - 1) / gpus);
  } else if (family == "nvswitch" || family == "pcie-server") {
    call.values["gpus"] = one_number(ranks);
  } else if (family == "ring" || family == "star" || family == "uniform" ||
             family == "fully-connected") {
    call.values["ranks"] = one_number(std::max(ranks, 2));
  } else {
    return false;
  }
  return true;
}

std::string title_of(const Topology& made) {
  if (made.family.name == "torus" || made.family.name == "mesh")
    return fmt::format("{} {}", fmt::join(made.dimensions, "×"), made.family.name);
  return fmt::format("{} of {} ranks", capitalized(made.family.name), made.ranks());
}

}  // namespace

Topology resized(const Topology& topology, int ranks) {
  if (ranks < 1 || ranks > kMostRanks)
    throw UserError(fmt::format("a topology has 1 to {} ranks, not {}", kMostRanks, ranks));
  FamilyCall call = topology.family;
  if (!set_size(call, ranks))
    throw UserError(
        fmt::format("{} has {} ranks and no other sizes: choose a ring, torus, star, "
                    "hypercube or fat-tree for {} ranks",
                    topology.title, topology.ranks(), ranks));
  Topology made = generate(call);
  made.model = topology.model;
  made.title = title_of(made);
  return made;
}

namespace {

struct SpeedChange {
  double factor = 1;
  bool bandwidth = true, latency = true;
};

std::optional<SpeedChange> speed_change(std::string_view text) {
  SpeedChange change;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), change.factor);
  if (error != std::errc() || change.factor < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  change.latency = text == "x" || text == "x-latency";
  change.bandwidth = text == "x" || text == "x-bandwidth";
  if (!change.latency && !change.bandwidth) return std::nullopt;
  if (change.bandwidth && change.factor == 0) return std::nullopt;
  return change;
}

std::string speed_in_words(const SpeedChange& change) {
  if (change.factor == 0) return "no latency";
  if (change.bandwidth != change.latency)
    return fmt::format("{:g} times the {}", change.factor,
                       change.bandwidth ? "bandwidth" : "latency");
  return change.factor >= 1 ? fmt::format("{:g} times as fast", change.factor)
                            : fmt::format("{:g} times as slow", 1 / change.factor);
}

}  // namespace

Topology changed_by(const Topology& topology, const std::string& change) {
  if (const auto ranks = as_number<int>(change)) return resized(topology, *ranks);
  const auto speed = speed_change(change);
  if (!speed)
    throw UserError(
        fmt::format("'@{}' is no size or speed of a topology: write ring@64, or ring@2x",
                    escaped(shortened(change, 60))));
  if (topology.uniform_ranks > 0)
    throw UserError("a uniform network has no links to change: set alpha and bandwidth");
  Topology made = topology;
  made.family = {};  // it is no longer what was generated
  for (TopologyLink& link : made.links) {
    if (speed->bandwidth) link.bandwidth *= speed->factor, link.back *= speed->factor;
    if (speed->latency)
      link.latency = speed->bandwidth ? link.latency / speed->factor : link.latency * speed->factor;
  }
  made.title += ", " + speed_in_words(*speed);
  return made;
}

std::string topology_name_for(std::string_view name, int ranks) {
  std::string of{name.substr(0, name.find('@'))}, speed;
  if (const auto at = name.rfind('@');
      at != std::string_view::npos && speed_change(name.substr(at + 1)))
    speed = name.substr(at);
  const Topology topology = open_topology(of);
  if (topology.ranks() != ranks) {
    (void)resized(topology, ranks);
    of += fmt::format("@{}", ranks);
  }
  return of + speed;
}

std::string topology_in_words(std::string_view name, int unsaid) {
  name.remove_prefix(name.rfind('/') + 1);
  std::string words(name.substr(0, name.find('@')));
  for (auto at = name.find('@'); at != std::string_view::npos;) {
    const auto next = name.find('@', at + 1);
    const std::string_view part = name.substr(at + 1, next - at - 1);
    if (const auto speed = speed_change(part)) words += ", " + speed_in_words(*speed);
    else if (part != fmt::to_string(unsaid)) words += fmt::format(" of {} ranks", part);
    at = next;
  }
  return words;
}

}  // namespace rankscope
