// Exchanges messages with the program that starts an exercise's ranks.
#include "lessons/coding/rank_starter.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iterator>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/run/conductor/local_socket.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kAnswer{10};
constexpr int kLacks[] = {ENOMEM, EAGAIN,    EMFILE,     ENFILE,
                          ENOSPC, ETIMEDOUT, ECONNRESET, ECONNREFUSED};

}  // namespace

bool is_lack(int error_number) noexcept {
  return ranges::find(kLacks, error_number) != std::end(kLacks);
}

Cause cause_in(std::string_view last_line) {
  return cause_of(-1, last_line) == Cause::machine ? Cause::machine : Cause::own;
}

Cause RankEnd::cause() const { return signal == SIGKILL ? Cause::others : cause_in(said); }

std::string RankEnd::words() const {
  std::string words = fmt::format("rank {} ", rank);
  if (signal != 0) words += fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
  else if (exit_code != 0) words += fmt::format("ended with code {}", exit_code);
  else return words + "ended its process in the middle of the exercise";
  return said.empty() ? words : fmt::format("{}: {}", words, said);
}

std::string OtherProcess::words() const {
  if (rank < 0)
    return "the ranks returned, and something that they started goes on in new processes, again "
           "and again: end it before returning";
  return fmt::format(
      "rank {} returned, and a process that it started goes on ({}): wait for it before returning",
      rank, name);
}

RankStarter::RankStarter() {
  FdPair pair = socket_pair("the ranks' box", SOCK_SEQPACKET);
  ours_ = std::move(pair.ours);
  theirs_ = std::move(pair.theirs);
}

bool RankStarter::admit() { return send("go"); }

bool RankStarter::up(Deadline limit) {
  while (!up_ && hear(limit)) {
  }
  return up_ && !gone_;
}

bool RankStarter::start(const std::vector<int>& sockets) {
  ends_.clear();
  running_ = sockets.size();
  return send(R"({"do": "start"})", sockets);
}

void RankStarter::end_all() { send(R"({"do": "end"})"); }

bool RankStarter::all_ended(Deadline limit) {
  while (ends_.size() < running_ && hear(limit)) {
  }
  return ends_.size() >= running_;
}

std::optional<std::vector<OtherProcess>> RankStarter::others(Deadline limit) {
  constexpr std::chrono::milliseconds kPause{20};
  while (true) {
    others_.reset();
    if (!send(fmt::format(R"({{"do": "look", "number": {}}})", ++looks_))) return std::nullopt;
    const auto answer = Deadline::in(kAnswer);
    while (!others_ && hear(answer)) {
    }
    if (!others_ || others_->empty() || limit.passed()) return others_;
    std::this_thread::sleep_for(kPause);
  }
}

// Reads one message. Returns false if none comes in time, or none will come.
bool RankStarter::hear(Deadline limit) {
  const auto message = receive_message(ours_, limit);
  if (!message) return false;
  if (message->text.empty()) {
    gone_ = true;
    return false;
  }
  const json said = parse_json_or_none(message->text);
  if (!said.is_object()) return true;
  if (said.value("up", false)) up_ = true;
  if (const auto others = said.find("others");
      others != said.end() && said.value("look", 0) == looks_) {
    others_.emplace();
    for (const json& one : *others)
      if (one.is_array() && one.size() == 2 && one[0].is_number_integer() && one[1].is_string())
        others_->push_back({one[0].get<int>(), printable(one[1].get<std::string>())});
  }
  if (said.contains("ended"))
    ends_.push_back({said.value("ended", -1), said.value("code", -1), said.value("signal", 0),
                     said.value("said", "")});
  return true;
}

bool RankStarter::send(const std::string& order, const std::vector<int>& sockets) {
  constexpr std::chrono::seconds kToRead{5};
  if (!gone_) gone_ = !send_message(ours_, order, sockets, Deadline::in(kToRead));
  return !gone_;
}

}  // namespace rankscope
