// Prints and parses interleavings.
#include "engine/explore/interleaving.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope::explore {
namespace {

constexpr std::uint32_t kMostRanks = 4'096, kMostNumber = 1'000'000'000;

/// Reads an interleaving's text from left to right.
class InterleavingReader {
 public:
  explicit InterleavingReader(std::string_view text) : all_(text), rest_(text) {}

  Interleaving read() {
    Interleaving out;
    out.which = number("the case's number", kMostNumber);
    if (!take(":")) fail("a ':' after the case's number");
    while (!rest_.empty()) {
      out.deviations.push_back(deviation());
      if (rest_.empty()) break;
      if (!take(",")) fail("',' between two deviations");
      if (rest_.empty()) fail("another deviation");
    }
    ranges::sort(out.deviations);
    const auto twice = std::ranges::adjacent_find(
        out.deviations, [](const auto& a, const auto& b) { return a.same_place(b); });
    if (twice != out.deviations.end()) fail("each thing once only");
    return out;
  }

 private:
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::uint32_t number(const char* what, std::uint32_t most) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value > most) fail(what);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  Deviation deviation() {
    using Kind = Deviation::Kind;
    Deviation out;
    if (take("late")) out.kind = Kind::late;
    else if (take("slow")) out.kind = Kind::slow;
    else if (take("wait")) out.kind = Kind::wait;
    else fail("late, slow or wait");
    out.rank = static_cast<Rank>(number("a rank", kMostRanks));
    if (out.kind == Kind::slow) {
      if (take("s")) out.strand = static_cast<std::uint16_t>(number("a strand", 0xffff));
    } else {
      if (!take("-")) fail("'-' and the rank at the other end");
      out.to = static_cast<Rank>(number("a rank", kMostRanks));
    }
    if (!take(".")) fail("'.' and a number");
    out.number = number("a number", kMostNumber);
    if (take("x")) out.level = number("a level from 1 to 9", kHighestLevel);
    if (out.level == 0) fail("a level from 1 to 9");
    return out;
  }
  [[noreturn]] void fail(const char* expected) const {
    throw UserError(
        fmt::format("\"{}\" is no schedule: at \"{}\" there should be {}; give the text "
                    "that --explore printed, as 2:late1-0.0,slow2.5",
                    all_, rest_, expected));
  }

  const std::string_view all_;
  std::string_view rest_;
};

}  // namespace

bool Deviation::same_place(const Deviation& other) const noexcept {
  Deviation leveled = other;
  leveled.level = level;
  return *this == leveled;
}

std::string to_text(const Interleaving& interleaving) {
  std::string out = fmt::format("{}:", interleaving.which);
  for (const Deviation& one : interleaving.deviations) {
    if (!out.ends_with(':')) out += ',';
    switch (one.kind) {
      case Deviation::Kind::late: out += fmt::format("late{}-{}", one.rank, one.to); break;
      case Deviation::Kind::wait: out += fmt::format("wait{}-{}", one.rank, one.to); break;
      case Deviation::Kind::slow:
        out += fmt::format("slow{}", one.rank);
        if (one.strand != 0) out += fmt::format("s{}", one.strand);
        break;
    }
    out += fmt::format(".{}", one.number);
    if (one.level != 1) out += fmt::format("x{}", one.level);
  }
  return out;
}

Interleaving parse_interleaving(std::string_view text) { return InterleavingReader(text).read(); }

}  // namespace rankscope::explore
