// The page that a local worker shares with the conductor. It survives SIGKILL, so that a dead rank's last operation and
// source line are known although its unsent events are lost.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "engine/core/trace/event.h"

namespace rankscope {

enum class RankState : std::uint32_t { idle, running, blocked, held, done, failed };
std::string_view to_string(RankState state) noexcept;

/// Plain data in shared memory, written by one process; it shows the last strand of the rank that wrote. Readers may
/// see a half-updated page: every field is meaningful on its own.
struct StatusPage {
  static constexpr std::size_t kSites = 96;
  static constexpr std::size_t kSiteText = 160;
  static constexpr std::uint32_t kMagic = 0x31505352;  // "RSP1"

  std::uint32_t magic = kMagic;
  std::atomic<RankState> state{RankState::idle};
  std::atomic<Verb> verb{Verb::job_begin};
  std::atomic<std::int32_t> peer{-1};
  std::atomic<std::uint32_t> epoch{0};
  std::atomic<std::uint32_t> site{0};  ///< Index into `sites` (0: none).
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<OpId> op{0};
  std::atomic<std::int64_t> since_ns{0};  ///< When the current state began.
  std::atomic<std::uint64_t> events{0};   ///< Events recorded so far, sent or not.
  std::atomic<std::uint64_t> verbs{0};    ///< Verbs begun so far: progress.
  std::atomic<std::uint32_t> pid{0};
  /// "file:line function". Atomic words, because a new job's texts may be written during a read.
  std::array<std::array<std::atomic<std::uint64_t>, kSiteText / sizeof(std::uint64_t)>, kSites>
      sites{};
};
void write_site(StatusPage& page, std::size_t site, std::string_view text) noexcept;

/// A copy of the page.
struct RankStatus {
  RankState state = RankState::idle;
  Verb verb = Verb::job_begin;
  Rank peer = -1;
  std::uint64_t bytes = 0;
  OpId op = 0;
  std::uint32_t epoch = 0;
  std::int64_t since_ns = 0;
  std::uint64_t events = 0;
  std::uint64_t verbs = 0;
  std::string site;
  /// "blocked in recv from rank 3 (4096 B) at engine/collectives/allreduce_ring.cpp:21"
  std::string describe() const;
};
RankStatus read_status(const StatusPage& page);

}  // namespace rankscope
