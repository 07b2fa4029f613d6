// Names causes and outcomes, and reads the causes that earlier traces and other programs put in words.
#include "engine/core/run/outcome.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <new>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

constexpr std::array<std::string_view, 9> kCauses = {
    "none", "own", "communication", "stopped", "machine", "limit", "late", "others", "user"};
constexpr std::array<std::string_view, 3> kLosses = {"unknown", "killed", "ended"};

// Errors of Python, C++ and the system that report a lack of resources.
constexpr std::string_view kWordsOfMachine[] = {
    "MemoryError",      "emory allocation",        "bad_alloc",
    "start new thread", "temporarily unavailable", "Too many open files",
    "No space left",    "Cannot allocate memory",  "timed out",
    "Connection reset", "Connection refused",      "BlockingIOError"};

/// "rank 0 at ...: rank 1 failed"
bool stopped_for_another(std::string_view error) noexcept {
  constexpr std::string_view kEnd = " failed";
  if (!error.ends_with(kEnd)) return false;
  error.remove_suffix(kEnd.size());
  const auto at = error.rfind(": rank ");
  return at != std::string_view::npos &&
         error.find_first_not_of("0123456789", at + 7) == std::string_view::npos;
}

constexpr std::array<std::string_view, 6> kStatusNames = {"ok",      "wrong result", "failed",
                                                          "timeout", "interrupted",  "deadlock"};

}  // namespace

std::string_view to_string(Cause cause) noexcept {
  return kCauses[static_cast<std::size_t>(cause)];
}

Cause cause_of(const std::exception& error) noexcept {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return Cause::machine;
  const auto* const comm = dynamic_cast<const CommError*>(&error);
  if (comm == nullptr) return Cause::own;
  return comm->reason() == CommError::Reason::stopped ? Cause::stopped : Cause::communication;
}

Cause cause_of(Rank rank, std::string_view error) noexcept {
  if (error.empty()) return Cause::none;
  if (stopped_for_another(error)) return Cause::stopped;
  if (names_rank(rank, error)) return Cause::communication;
  const bool of_machine = ranges::any_of(kWordsOfMachine, [&](std::string_view words) {
    return error.find(words) != std::string_view::npos;
  });
  return of_machine ? Cause::machine : Cause::own;
}

Cause cause_of(std::string_view name, Rank rank, std::string_view error) noexcept {
  for (std::size_t i = 0; i < kCauses.size(); ++i)
    if (kCauses[i] == name) return static_cast<Cause>(i);
  return cause_of(rank, error);
}

bool names_rank(Rank rank, std::string_view error) noexcept {
  const auto prefix = fmt::format("rank {}", rank);
  return error.starts_with(prefix) &&
         (error.size() == prefix.size() ||
          std::isdigit(static_cast<unsigned char>(error[prefix.size()])) == 0);
}

std::string error_class(std::string_view words) {
  constexpr std::string_view kInName =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";
  for (const std::string_view ending : {"Error", "Exception", "Exit", "Interrupt"}) {
    const std::size_t at = words.find(ending);
    if (at == std::string_view::npos) continue;
    const std::size_t before = words.find_last_not_of(kInName, at);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    return std::string(words.substr(begin, at + ending.size() - begin));
  }
  return {};
}

std::string shown_error(Rank rank, Cause cause, std::string_view error) {
  if (cause == Cause::none) cause = cause_of(rank, error);
  const bool is_named =
      cause == Cause::communication || cause == Cause::stopped || names_rank(rank, error);
  return is_named && cause != Cause::own ? std::string(error)
                                         : fmt::format("rank {}: {}", rank, error);
}

std::string_view to_string(RankLoss loss) noexcept {
  return kLosses[static_cast<std::size_t>(loss)];
}

RankLoss loss_of(std::string_view name, std::string_view what) noexcept {
  for (std::size_t i = 0; i < kLosses.size(); ++i)
    if (kLosses[i] == name) return static_cast<RankLoss>(i);
  if (what == "had ended") return RankLoss::ended;
  return what.starts_with("was killed") ? RankLoss::killed : RankLoss::unknown;
}

std::vector<double> JobResult::times_s() const {
  std::vector<double> slowest;
  for (const RankOutcome& rank : ranks) {
    slowest.resize(std::max(slowest.size(), rank.times_s.size()), 0.0);
    for (std::size_t i = 0; i < rank.times_s.size(); ++i)
      slowest[i] = std::max(slowest[i], rank.times_s[i]);
  }
  return slowest;
}

std::string_view to_string(JobResult::Status status) noexcept {
  return kStatusNames[static_cast<std::size_t>(status)];
}

std::optional<JobResult::Status> parse_status(std::string_view name) noexcept {
  const auto at = ranges::find(kStatusNames, name);
  if (at == kStatusNames.end()) return std::nullopt;
  return static_cast<JobResult::Status>(at - kStatusNames.begin());
}

}  // namespace rankscope
