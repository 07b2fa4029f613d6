// Reads and writes the shared status page, and describes a rank's last known operation.
#include "engine/core/trace/status_page.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace rankscope {

std::string_view to_string(RankState state) noexcept {
  switch (state) {
    case RankState::idle: return "idle";
    case RankState::running: return "running";
    case RankState::blocked: return "blocked";
    case RankState::held: return "held";
    case RankState::done: return "done";
    case RankState::failed: return "failed";
  }
  return "unknown";
}

void write_site(StatusPage& page, std::size_t site, std::string_view text) noexcept {
  std::array<std::uint64_t, StatusPage::kSiteText / sizeof(std::uint64_t)> words{};
  std::memcpy(words.data(), text.data(), std::min(text.size(), StatusPage::kSiteText - 1));
  for (std::size_t i = 0; i < words.size(); ++i)
    page.sites[site][i].store(words[i], std::memory_order_relaxed);
}

namespace {
std::string read_site(const StatusPage& page, std::size_t site) {
  std::array<std::uint64_t, StatusPage::kSiteText / sizeof(std::uint64_t)> words{};
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = page.sites[site][i].load(std::memory_order_relaxed);
  std::array<char, StatusPage::kSiteText> text{};
  std::memcpy(text.data(), words.data(), text.size());
  return {text.data(), strnlen(text.data(), text.size())};
}
}  // namespace

RankStatus read_status(const StatusPage& page) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  RankStatus status;
  status.state = page.state.load(std::memory_order_acquire);
  status.verb = page.verb.load(kRelaxed);
  status.peer = page.peer.load(kRelaxed);
  status.bytes = page.bytes.load(kRelaxed);
  status.op = page.op.load(kRelaxed);
  status.epoch = page.epoch.load(kRelaxed);
  status.since_ns = page.since_ns.load(kRelaxed);
  status.events = page.events.load(kRelaxed);
  status.verbs = page.verbs.load(kRelaxed);
  const auto site = page.site.load(std::memory_order_acquire);
  if (site > 0 && site < StatusPage::kSites) status.site = read_site(page, site);
  return status;
}

std::string RankStatus::describe() const {
  // Messages put "it was" before the text.
  std::string text(state == RankState::failed ? "failing" : to_string(state));
  const bool in_verb = state == RankState::blocked || state == RankState::running ||
                       state == RankState::held || state == RankState::failed;
  if (!in_verb || verbs == 0) return text;
  text += fmt::format(" {} {}", state == RankState::held ? "before" : "in", to_string(verb));
  if (is_send(verb)) text += fmt::format(" to rank {}", peer);
  if (is_recv(verb)) text += peer < 0 ? " from any rank" : fmt::format(" from rank {}", peer);
  if (is_send(verb) || is_recv(verb)) text += fmt::format(" ({} B)", bytes);
  if (!site.empty()) text += fmt::format(" at {}", site);
  return text;
}

}  // namespace rankscope
