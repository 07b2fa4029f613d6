// Counts rounds as the longest chain of messages that depend on each other, and finds the event that ends each on a rank.
#include "engine/analysis/events/rounds.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "engine/account/op_table.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

constexpr std::uint32_t kNoMessage = MessageOrder::kNoMessage;

/// One strand of a rank, as far as it has come in program order.
struct Strand {
  std::uint32_t last_send = kNoMessage;   // message
  std::uint32_t last_recv = kNoMessage;   // message of the receive posted last
  std::uint32_t known_recv = kNoMessage;  // message of the last-posted receive known to be complete
  std::uint32_t known_position = 0;       // 1 + its place among the strand's receives
  std::uint32_t recvs = 0;
};

class Dependencies {
 public:
  Dependencies(const Trace& trace, const std::vector<MessageRecord>& messages)
      : trace_(trace), messages_(messages), order_(messages.size()) {
    for (std::uint32_t m = 0; m < messages.size(); ++m) {
      by_send_[messages[m].send] = m;
      if (messages[m].recv != 0) by_recv_[messages[m].recv] = m;
    }
    find_awaited();
    for (std::uint64_t k = 0; k < trace.size(); ++k) visit(trace[k]);
  }

  std::vector<MessageOrder> take() { return std::move(order_); }

 private:
  // A receive whose request is waited for is known to the code when the wait ends; others when they
  // complete, because then the verb returns.
  void find_awaited() {
    for (std::uint64_t k = 0; k < trace_.size(); ++k)
      if (trace_[k].kind == EventKind::local && trace_[k].verb == Verb::wait &&
          trace_[k].cause != 0)
        awaited_[trace_[k].cause] = 1;
  }

  void visit(const StepEvent& event) {
    Strand& strand = strands_[(std::uint64_t(event.rank) << 16) | event.strand];
    if (event.kind == EventKind::posted && event.verb == Verb::send) {
      const auto m = by_send_.find(event.op);
      if (m == kNoMessage) return;
      order_[m].sent_before = strand.last_send;
      order_[m].known_before = strand.known_recv;
      strand.last_send = m;
    } else if (event.kind == EventKind::posted && is_recv(event.verb)) {
      position_[event.op] = ++strand.recvs;
      const auto m = by_recv_.find(event.op);
      if (m == kNoMessage || messages_[m].sync) return;
      order_[m].received_before = strand.last_recv;
      strand.last_recv = m;
    } else if (event.kind == EventKind::local && event.verb == Verb::wait) {
      know(strand, event.cause);
    } else if (event.kind == EventKind::completed && is_recv(event.verb) &&
               awaited_.find(event.op) == 0) {
      know(strand, event.op);
    }
  }

  void know(Strand& strand, OpId recv) {
    const auto m = by_recv_.find(recv);
    const auto position = position_.find(recv);
    if (m == kNoMessage || messages_[m].sync || position <= strand.known_position) return;
    strand.known_position = position;
    strand.known_recv = m;
  }

  const Trace& trace_;
  const std::vector<MessageRecord>& messages_;
  std::vector<MessageOrder> order_;
  OpTable<std::uint32_t> by_send_{kNoMessage}, by_recv_{kNoMessage}, position_{0};
  OpTable<std::uint8_t> awaited_{0};
  std::unordered_map<std::uint64_t, Strand> strands_;
};

/// Longest paths. Receives that take messages in another order than they were sent can make a circle, which is cut where
/// the walk in program order closes it.
class LongestPaths {
 public:
  LongestPaths(const std::vector<MessageOrder>& order, const std::vector<bool>& counts)
      : order_(order), counts_(counts), round_(order.size(), kUnseen) {}

  int of(std::uint32_t message) {
    if (round_[message] >= 0) return round_[message];
    stack_.push_back({message, 0});
    round_[message] = kOpen;
    while (!stack_.empty()) {
      auto& [m, next] = stack_.back();
      const auto earlier_ones = before(m);
      if (next < earlier_ones.size()) {
        const auto earlier = earlier_ones[next++];
        if (earlier != kNoMessage && round_[earlier] == kUnseen) {
          round_[earlier] = kOpen;
          stack_.push_back({earlier, 0});
        }
        continue;
      }
      int longest = 0;
      for (const auto earlier : earlier_ones)
        if (earlier != kNoMessage) longest = std::max(longest, round_[earlier]);  // kOpen: cut
      round_[m] = longest + (counts_[m] ? 1 : 0);
      stack_.pop_back();
    }
    return round_[message];
  }

 private:
  static constexpr int kOpen = -1, kUnseen = -2;
  struct Frame {
    std::uint32_t message;
    std::size_t next;
  };
  std::array<std::uint32_t, 3> before(std::uint32_t m) const noexcept {
    return {order_[m].sent_before, order_[m].known_before, order_[m].received_before};
  }
  const std::vector<MessageOrder>& order_;
  const std::vector<bool>& counts_;
  std::vector<int> round_;
  std::vector<Frame> stack_;
};

/// By rank, the cursor after which events follow the rank's last message.
std::vector<std::uint64_t> last_messages(const Trace& trace) {
  std::vector<std::uint64_t> last(static_cast<std::size_t>(trace.world_size()), 0);
  for (std::uint64_t k = 0; k < trace.size(); ++k)
    if (trace[k].kind == EventKind::completed && trace[k].rank >= 0 &&
        trace[k].rank < trace.world_size())
      last[static_cast<std::size_t>(trace[k].rank)] = k;
  return last;
}

}  // namespace

Rounds rounds(const Trace& trace) {
  Rounds result;
  result.messages = messages(trace);
  result.order = Dependencies(trace, result.messages).take();
  static_cast<RoundNumbers&>(result) =
      rounds_among(result, [](const MessageRecord&) { return true; });
  return result;
}

RoundNumbers rounds_among(const Rounds& all,
                          const std::function<bool(const MessageRecord&)>& counts) {
  const auto& messages = all.messages;
  RoundNumbers result;
  result.round.assign(messages.size(), 0);
  std::vector<bool> counted(messages.size(), false);
  std::vector<std::uint32_t> program_order;
  for (std::uint32_t m = 0; m < messages.size(); ++m) {
    counted[m] = !messages[m].sync && counts(messages[m]);
    if (counted[m]) program_order.push_back(m);
  }
  ranges::sort(program_order, {}, [&](std::uint32_t m) { return messages[m].send; });
  LongestPaths paths(all.order, counted);
  for (const auto m : program_order) {
    result.round[m] = paths.of(m);
    result.count = std::max(result.count, result.round[m]);
  }
  return result;
}

RoundCuts round_cuts(const Trace& trace, const Rounds& rounds) {
  RoundCuts cuts;
  const auto ranks = static_cast<std::size_t>(trace.world_size());
  std::unordered_map<OpId, int> round_of_recv;
  for (std::size_t i = 0; i < rounds.messages.size(); ++i)
    if (rounds.messages[i].recv != 0) round_of_recv[rounds.messages[i].recv] = rounds.round[i];
  cuts.cut.assign(ranks, std::vector<Cursor>(static_cast<std::size_t>(rounds.count) + 2, 0));
  std::vector<int> stage(ranks, 0);
  const std::vector<std::uint64_t> last_message = last_messages(trace);
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const auto& event = trace[k];
    if (event.rank < 0 || event.rank >= trace.world_size()) continue;
    const auto rank = static_cast<std::size_t>(event.rank);
    int& at = stage[rank];
    if (event.kind == EventKind::completed && is_recv(event.verb)) {
      const auto found = round_of_recv.find(event.op);
      if (found != round_of_recv.end()) at = std::max(at, found->second);
    }
    // A division between two phases belongs to the round before it.
    if (event.verb == Verb::scale && k > last_message[rank]) {
      at = rounds.count + 1;
      cuts.ends_differ = true;
    }
    cuts.cut[rank][static_cast<std::size_t>(at)] = k + 1;
  }
  for (auto& ends : cuts.cut)
    for (std::size_t i = 1; i < ends.size(); ++i) ends[i] = std::max(ends[i], ends[i - 1]);
  return cuts;
}

}  // namespace rankscope
