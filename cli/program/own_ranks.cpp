// Listens for a program's ranks, gathers them by group, and refuses later ones if asked to.
#include "cli/program/own_ranks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/fd.h"
#include "engine/core/base/json_text.h"

namespace rankscope::cli {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kListen{50}, kHelloLimit{5'000};
constexpr int kMostInGroup = 1024;

void refuse(const Fd& connection, const std::string& reason) {
  send_message(connection, dump_json(json{{"refuse", reason}}));
}

struct JoiningRank {
  int rank = -1, size = 0;
  std::string key, platform, program, test;
};

std::optional<JoiningRank> hello_of(const Fd& connection) {
  const auto message = receive_message(connection, Deadline::in(kHelloLimit));
  const json hello = parse_json_or_none(message ? message->text : "");
  if (!hello.is_object()) return std::nullopt;
  JoiningRank out{hello.value("rank", -1),     hello.value("size", 0),     hello.value("key", ""),
                  hello.value("platform", ""), hello.value("program", ""), hello.value("test", "")};
  if (out.size >= 1 && out.size <= kMostInGroup && out.rank < out.size) return out;
  refuse(connection, fmt::format("there is no rank {} in a world of {} (1 to {} ranks)", out.rank,
                                 out.size, kMostInGroup));
  return std::nullopt;
}

}  // namespace

std::string OwnRanks::variable() const {
  return "RANKSCOPE_AGENTS=" + (directory_.path() / "agents").string();
}

std::optional<OwnRanks::Group> OwnRanks::gather(const std::function<bool()>& give_up) {
  while (!give_up()) {
    if (!wait_readable(listener_.get(), Deadline::in(kListen))) continue;
    Fd connection = accept_from(listener_);
    const auto hello = hello_of(connection);
    if (!hello) continue;
    Gathering& group = gathering_[hello->key];
    if (group.size == 0) group.size = hello->size;
    int rank = hello->rank;  // a process that names no rank gets the next free one
    while (hello->rank < 0 && group.came.contains(++rank)) {
    }
    if (group.size != hello->size || group.came.contains(rank)) {
      refuse(connection, fmt::format("rank {} of {} cannot join: there is a rank {}, or the others "
                                     "want {} ranks",
                                     rank, hello->size, rank, group.size));
      continue;
    }
    group.came.emplace(rank, std::move(connection));
    if (std::ssize(group.came) < group.size) continue;
    Group out{hello->key, hello->platform, hello->program, hello->test, {}};
    for (auto& [number, one] : group.came) out.connections.push_back(std::move(one));
    gathering_.erase(hello->key);
    return out;
  }
  for (const auto& [key, group] : gathering_) {
    std::vector<int> came;
    for (const auto& [rank, connection] : group.came) came.push_back(rank);
    missing_ = fmt::format("of {} ranks only these joined: {}", group.size, fmt::join(came, ", "));
  }
  return std::nullopt;
}

std::vector<Fd> OwnRanks::admit(const Group& group) {
  std::vector<Fd> ours;
  for (int rank = 0; rank < group.size(); ++rank) {
    FdPair pair = socket_pair("a rank");
    ours.push_back(std::move(pair.ours));
    send_message(group.connections[static_cast<std::size_t>(rank)], dump_json(json{{"rank", rank}}),
                 {pair.theirs.get()});
  }
  return ours;
}

void OwnRanks::refuse_others() {
  refuser_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (!wait_readable(listener_.get(), Deadline::in(kListen))) continue;
      const Fd connection = accept_from(listener_);
      refused_ = true;
      refuse(connection,
             "--explore follows the first group of ranks that a program makes, not several");
    }
  });
}

}  // namespace rankscope::cli
