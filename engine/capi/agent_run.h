// One run of one boxed rank: validates its requests and carries them out.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/capi/agent.h"
#include "engine/capi/direct_comm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "engine/run/step/step_gate.h"

namespace rankscope::capi {

inline constexpr std::uint64_t kMostArrayBytes = std::uint64_t{256} << 20;

/// Makes a text of the program safe to keep and show: one line, no terminal control sequences, bounded length.
inline std::string shown(std::string_view text, std::size_t most) {
  if (text.size() <= most) return printable(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return printable(text.substr(0, most)) + " ...";
}

/// A violation of the protocol by a rank, which ends its part.
class ProtocolViolation : public UserError {
 public:
  using UserError::UserError;
};

template <class T>
T field(const nlohmann::json& head, const char* name) {
  const auto at = head.find(name);
  if (at == head.end()) throw ProtocolViolation(fmt::format("a request without \"{}\"", name));
  if constexpr (std::is_same_v<T, std::string>) {
    if (!at->is_string()) throw ProtocolViolation(fmt::format("\"{}\" is no text", name));
    return at->get<std::string>();
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!at->is_boolean())
      throw ProtocolViolation(fmt::format("\"{}\" is neither true nor false", name));
    return at->get<bool>();
  } else {
    const bool fits = at->is_number_unsigned()
                          ? std::in_range<T>(at->get<std::uint64_t>())
                          : at->is_number_integer() && std::in_range<T>(at->get<std::int64_t>());
    if (!fits) throw ProtocolViolation(fmt::format("\"{}\" is no such number", name));
    return at->get<T>();
  }
}

inline const nlohmann::json& object(const nlohmann::json& head, const char* name) {
  const auto at = head.find(name);
  if (at == head.end() || !at->is_object())
    throw ProtocolViolation(fmt::format("a request without \"{}\"", name));
  return *at;
}

/// The source lines that the rank names. They are shown, never trusted.
class Lines {
 public:
  /// Keeps a text of the program. Bounded, because a process grades many submissions.
  static const char* kept(const std::string& given) {
    static std::mutex mutex;
    static std::set<std::string> texts;
    constexpr std::size_t kMostTexts = 100'000, kLongest = 500;
    const std::string text = shown(given, kLongest);
    const std::lock_guard lock(mutex);
    if (texts.size() >= kMostTexts && !texts.contains(text)) return "";
    return texts.insert(text).first->c_str();
  }

  explicit Lines(const nlohmann::json& head) {
    const auto at = head.find("site");
    if (at == head.end() || !at->is_array()) return;
    for (const nlohmann::json& place : *at) {
      if (calls_.size() == RS_STACK || !place.is_array() || place.size() != 3 ||
          !place[0].is_string() || !place[1].is_string() || !place[2].is_number_unsigned())
        break;
      calls_.push_back({kept(place[0].get<std::string>()), kept(place[1].get<std::string>()),
                        static_cast<unsigned>(
                            std::min<std::uint64_t>(place[2].get<std::uint64_t>(), 10'000'000))});
    }
  }
  Site site() {
    if (calls_.empty()) calls_.push_back({"", "program", 0});
    return Site(std::span<const CallSite>(calls_));
  }

 private:
  std::vector<CallSite> calls_;
};

class AgentRun : private ContextPort {
 public:
  AgentRun(Agent& agent, RankContext& rank, const JobSpec& spec, const AgentTask& task,
           AgentReport& report)
      : ContextPort(rank, spec.recording.trace), agent_(agent), task_(task), report_(report) {}
  RankOutcome serve();

 private:
  struct Open {
    PortRequestPtr request;
    rs_memory memory{};
    bool any_size = false, takes = false;
  };

  void report(bool, const std::string&) override {}
  bool next_request();
  std::optional<WireMessage> receive();
  void wait_until_called(VirtualRank& here);
  void keep_request();
  void charge_compute(const WireMessage& request);
  Deadline wait_limit(const nlohmann::json& head);
  void count(const std::string& what);
  void send_task();
  void carry_out(const WireMessage& request);
  bool about_the_task(const std::string& what, const WireMessage& request);
  void say(const nlohmann::json& head, std::span<const std::byte> body = {}) {
    agent_.wire_.send(head, body);
  }
  void report_failed(int code, const std::string& error, bool truncated = false);
  /// Null if nothing can hold this rank.
  StepGate* gate() { return dynamic_cast<StepGate*>(context().gate()); }
  void poll_found_nothing() {
    if (StepGate* const held = gate()) held->poll_found_nothing(0);
  }
  DirectComm& comm_of(const nlohmann::json& head);
  rs_memory memory_of(const nlohmann::json& described);
  void forget_arrays();
  static void fill(const rs_memory& memory, const WireMessage& request);
  Open& open_of(const nlohmann::json& head);
  void post(const WireMessage& request, bool send);
  void keep_message(const Slice& data);
  void wait(const nlohmann::json& head);
  void wait_any(const nlohmann::json& head);
  void collective(const WireMessage& request);
  void split(const nlohmann::json& head);
  void group(const nlohmann::json& head);
  void add_comm(std::unique_ptr<PortComm> made);
  void take_result(const WireMessage& request);
  void handle_leave(const nlohmann::json& head);
  void note_error(const std::string& words);
  static nlohmann::json describe(const DirectComm& comm, int number);

  Agent& agent_;
  const AgentTask& task_;
  AgentReport& report_;
  bool task_sent_ = false, joined_ = false;
  std::optional<WireMessage> kept_;  ///< A request read before its turn.
  bool idle_ = false;                ///< Its process acts only once others have.
  std::optional<Clock::time_point> stopped_at_;
  /// Copies of the rank's arrays, by address, size and type.
  std::map<std::tuple<std::uint64_t, std::uint64_t, int>, std::vector<std::byte>> copies_;
  std::uint64_t memory_ = 0;
  std::uint64_t verbs_ = 0, result_bytes_ = 0;
  bool has_sent_ = false;
  std::map<int, std::unique_ptr<DirectComm>> comms_;  ///< All except the world, which is 1.
  std::map<std::uint64_t, Open> open_;
  std::uint64_t next_op_ = 0;
  int next_comm_ = 1;
};

}  // namespace rankscope::capi
