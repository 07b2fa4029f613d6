// Kinds of faults: their names, and what the words of old traces and of programs stand for.
#include "engine/core/base/fault.h"

#include <array>
#include <cctype>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

constexpr std::array<std::string_view, 4> kFaults = {"none", "own", "communication", "stopped"};
constexpr std::array<std::string_view, 3> kLosses = {"unknown", "killed", "ended"};

/// "rank 0 at ...: rank 1 failed"
bool stopped_for_another(std::string_view error) noexcept {
  constexpr std::string_view kEnd = " failed";
  if (!error.ends_with(kEnd)) return false;
  error.remove_suffix(kEnd.size());
  const auto at = error.rfind(": rank ");
  return at != std::string_view::npos &&
         error.find_first_not_of("0123456789", at + 7) == std::string_view::npos;
}

}  // namespace

std::string_view to_string(RankFault fault) noexcept {
  return kFaults[static_cast<std::size_t>(fault)];
}

RankFault fault_of(const std::exception& error) noexcept {
  const auto* const comm = dynamic_cast<const CommError*>(&error);
  if (comm == nullptr) return RankFault::own;
  return comm->reason() == CommError::Reason::stopped ? RankFault::stopped
                                                      : RankFault::communication;
}

RankFault fault_of(Rank rank, std::string_view error) noexcept {
  if (error.empty()) return RankFault::none;
  if (stopped_for_another(error)) return RankFault::stopped;
  // "rank 1: ..." and "rank 1 at allreduce_ring.cpp:27: ...", but not what is said of rank 12.
  const auto prefix = fmt::format("rank {}", rank);
  const bool names_it = error.starts_with(prefix) &&
                        (error.size() == prefix.size() ||
                         std::isdigit(static_cast<unsigned char>(error[prefix.size()])) == 0);
  return names_it ? RankFault::communication : RankFault::own;
}

RankFault fault_of(std::string_view name, Rank rank, std::string_view error) noexcept {
  for (std::size_t i = 0; i < kFaults.size(); ++i)
    if (kFaults[i] == name) return static_cast<RankFault>(i);
  return fault_of(rank, error);
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

std::string shown_error(Rank rank, RankFault fault, std::string_view error) {
  if (fault == RankFault::none) fault = fault_of(rank, error);
  return fault == RankFault::own ? fmt::format("rank {}: {}", rank, error) : std::string(error);
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

}  // namespace rankscope
