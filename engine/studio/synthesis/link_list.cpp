// Lists of links of known networks, and their checks.
#include "engine/studio/synthesis/link_list.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

class NetworkMaker {
 public:
  NetworkMaker(LinkList& out, double latency, double bandwidth)
      : out_(out), latency_(latency), bandwidth_(bandwidth) {}

  void both_ways(Rank a, Rank b) {
    add(a, b);
    add(b, a);
  }
  void ring() {
    for (Rank r = 0; r < out_.ranks; ++r)
      if (out_.ranks > 2 || r == 0) both_ways(r, wrap(r + 1, out_.ranks));
  }
  void full() {
    for (Rank a = 0; a < out_.ranks; ++a)
      for (Rank b = a + 1; b < out_.ranks; ++b) both_ways(a, b);
  }
  void hypercube() {
    for (Rank a = 0; a < out_.ranks; ++a)
      for (int bit = 1; bit < out_.ranks; bit *= 2)
        if (const Rank b = a ^ bit; a < b) both_ways(a, b);
  }
  void torus(int width) {
    const int height = out_.ranks / width;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        if (width > 2 || x == 0) both_ways(y * width + x, y * width + wrap(x + 1, width));
        if (height > 2 || y == 0) both_ways(y * width + x, wrap(y + 1, height) * width + x);
      }
  }
  void star() {
    out_.shared.assign(2 * static_cast<std::size_t>(out_.ranks), bandwidth_);
    for (Rank a = 0; a < out_.ranks; ++a)
      for (Rank b = 0; b < out_.ranks; ++b)
        if (a != b) out_.links.push_back({a, b, latency_, bandwidth_, {a, out_.ranks + b}});
  }

 private:
  void add(Rank from, Rank to) {
    if (from != to) out_.links.push_back({from, to, latency_, bandwidth_});
  }
  LinkList& out_;
  const double latency_, bandwidth_;
};

[[noreturn]] void refuse_name(std::string_view name) {
  throw UserError(
      fmt::format("there is no network \"{}\": choose ring:N, hypercube:N (N a power of two), "
                  "full:N, star:N or torus:WxH, "
                  "with 2 to {} ranks",
                  escaped(name), kMostSynthesisRanks));
}

// A rank that is not reached from rank 0 along the links, or against them; or -1.
Rank first_not_reached(const LinkList& list, bool forwards) {
  std::vector<bool> seen(static_cast<std::size_t>(list.ranks));
  std::vector<Rank> open{0};
  seen[0] = true;
  while (!open.empty()) {
    const Rank at = open.back();
    open.pop_back();
    for (const auto& link : list.links) {
      if ((forwards ? link.from : link.to) != at) continue;
      const Rank other = forwards ? link.to : link.from;
      if (seen[static_cast<std::size_t>(other)]) continue;
      seen[static_cast<std::size_t>(other)] = true;
      open.push_back(other);
    }
  }
  const auto lost = ranges::find(seen, false);
  return lost == seen.end() ? -1 : static_cast<Rank>(lost - seen.begin());
}

}  // namespace

LinkList named_links(std::string_view name, double latency, double bandwidth) {
  const auto colon = name.find(':');
  if (colon == std::string_view::npos) refuse_name(name);
  const auto kind = name.substr(0, colon), size = name.substr(colon + 1);
  const auto cross = size.find('x');
  const auto first = as_number<int>(size.substr(0, cross));
  const auto second =
      cross == std::string_view::npos ? std::optional(1) : as_number<int>(size.substr(cross + 1));
  const bool fits = first && second && *first >= 1 && *second >= 1 &&
                    *first <= kMostSynthesisRanks && *second <= kMostSynthesisRanks &&
                    *first * *second >= 2 && *first * *second <= kMostSynthesisRanks;
  if (!fits || (cross != std::string_view::npos) != (kind == "torus")) refuse_name(name);
  LinkList out{std::string(name), *first * *second, {}};
  NetworkMaker maker(out, latency, bandwidth);
  if (kind == "ring") maker.ring();
  else if (kind == "full") maker.full();
  else if (kind == "star") maker.star();
  else if (kind == "torus") maker.torus(*first);
  else if (kind == "hypercube" && is_power_of_two(out.ranks)) maker.hypercube();
  else refuse_name(name);
  return out;
}

void check_links(const LinkList& list) {
  const auto fail = [&](const std::string& what) {
    throw UserError(fmt::format("{}: {}", list.name, what));
  };
  if (list.ranks < 2 || list.ranks > kMostSynthesisRanks)
    fail(fmt::format("a schedule is found for 2 to {} ranks, not for {}", kMostSynthesisRanks,
                     list.ranks));
  for (const auto& link : list.links) {
    if (link.from < 0 || link.to < 0 || link.from >= list.ranks || link.to >= list.ranks ||
        link.from == link.to)
      fail("a link leads to no other rank");
    if (!(link.bandwidth > 0) || !std::isfinite(link.bandwidth) || !(link.latency >= 0) ||
        !std::isfinite(link.latency))
      fail(
          fmt::format("the link from {} to {} needs a bandwidth above 0 and a latency of 0 or more",
                      link.from, link.to));
  }
  for (const bool forwards : {true, false})
    if (const Rank lost = first_not_reached(list, forwards); lost >= 0)
      fail(forwards ? fmt::format("rank 0 cannot reach rank {}: add a link", lost)
                    : fmt::format("rank {} cannot reach rank 0: add a link", lost));
}

bool all_reached(const LinkList& list) {
  return first_not_reached(list, true) < 0 && first_not_reached(list, false) < 0;
}

LinkList reversed(const LinkList& list) {
  LinkList out = list;
  for (auto& link : out.links) {
    std::swap(link.from, link.to);
    ranges::reverse(link.uses);
  }
  return out;
}

}  // namespace rankscope
