// Ranks that are blocked for ever, written verb by verb, for what is said about them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/analysis/matching/diagnosis.h"
#include "tests/support/catch.h"

namespace rankscope::test {

using matching::Diagnosis;
using matching::PostedVerb;

inline constexpr ContextId kWorld = 1;

/// Ranks that are blocked in all that they have posted, except buffered sends.
class Blocked {
 public:
  explicit Blocked(int ranks, std::string_view platform = "torch") {
    known_.ended.resize(std::size_t(ranks));
    known_.platform = platform;
    known_.at = [this](std::uint32_t verb) { return fmt::format(" at x.py:{}", lines_[verb]); };
  }
  void line(std::uint32_t number) { line_ = number; }
  void send(Rank rank, Rank to, Tag tag = 0) { add(rank, to, tag, true).open = true; }
  void recv(Rank rank, Rank from, Tag tag = 0) { add(rank, from, tag, false).open = true; }
  void buffered(Rank rank, Rank to, Tag tag = 0) { add(rank, to, tag, true).buffered = true; }
  /// Both at once, as mpi4py's Sendrecv.
  void exchange(Rank rank, Rank with) {
    buffered(rank, with);
    recv(rank, with);
  }
  void met() { known_.verbs.back().open = false; }
  void name_partners(std::string name) {
    known_.partner_name = [name](std::uint32_t) { return name; };
  }
  void name_next_partners(std::string name) {
    known_.next_partner_name = [name](std::uint32_t) { return name; };
  }
  /// Behind each verb its rank calls the other half, with the rank that is so far from it.
  void then_the_other_half(int distance) {
    known_.next_peer = [this, distance](std::uint32_t verb) {
      const int size = static_cast<int>(known_.ended.size());
      return std::optional((known_.verbs[verb].rank + distance + size) % size);
    };
  }
  void go_through_peers() {
    known_.goes_through_peers = [](std::uint32_t) { return true; };
  }
  /// Whether each rank comes later to the collectives that others are in.
  void come_to_calls(bool comes) {
    known_.comes_to_call = [comes](std::uint32_t, std::uint32_t) { return comes; };
  }
  void call_tags_later(std::vector<Tag> tags) {
    known_.later_tags = [tags](std::uint32_t) { return tags; };
  }
  void end(Rank rank) { known_.ended[std::size_t(rank)] = true; }
  PostedVerb& last() { return known_.verbs.back(); }
  std::vector<Diagnosis> all() const {
    auto found = diagnose(known_);
    for (const auto& one : found) UNSCOPED_INFO(one.why << " | " << one.advice);
    return found;
  }
  Diagnosis only() const {
    const auto found = all();
    REQUIRE(found.size() == 1);
    return found[0];
  }
  const PostedVerb& verb(std::uint32_t which) const { return known_.verbs[which]; }

 private:
  PostedVerb& add(Rank rank, Rank peer, Tag tag, bool send) {
    lines_.push_back(line_);
    known_.verbs.push_back(
        {.rank = rank, .peer = peer, .tag = tag, .context = kWorld, .send = send});
    known_.verbs.back().site = line_;
    return known_.verbs.back();
  }
  matching::Situation known_;
  std::vector<std::uint32_t> lines_;
  std::uint32_t line_ = 1;
};

}  // namespace rankscope::test
