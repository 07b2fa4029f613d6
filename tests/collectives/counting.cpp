// Counts messages, rounds and bytes from a run's recorded events.
#include "tests/collectives/counting.h"

#include <algorithm>
#include <map>

namespace rankscope::test {
namespace {

using Lane = std::pair<Rank, std::uint16_t>;  // rank and strand

struct Message {
  Sent sent;
  std::vector<OpId> after;  // sends whose rounds are smaller
};

int round_of(OpId op, std::map<OpId, Message>& messages) {
  auto& message = messages.at(op);
  if (message.sent.round > 0) return message.sent.round;
  int latest = 0;
  for (const OpId before : message.after) latest = std::max(latest, round_of(before, messages));
  return message.sent.round = latest + 1;
}

}  // namespace

std::vector<Sent> Traffic::sent_by(Rank rank) const {
  std::vector<Sent> mine;
  std::ranges::copy_if(messages, std::back_inserter(mine),
                       [&](const Sent& sent) { return sent.from == rank; });
  return mine;
}

Traffic traffic_of(const std::vector<EventBatch>& batches, int world_size) {
  std::map<OpId, Message> messages;  // by send; ordered by rank, then time of posting
  std::map<Lane, OpId> last_send;
  std::map<Lane, std::vector<OpId>> completed;  // sends whose receives are done
  std::map<Lane, std::vector<OpId>> posted;     // receives, in program order
  std::map<OpId, OpId> cause;                   // receive -> send
  const auto is_algorithm = [](Verb verb) {
    return verb == Verb::send || verb == Verb::recv || verb == Verb::recv_reduce;
  };
  for (const auto& batch : batches)
    for (const auto& event : batch.events) {
      if (!is_algorithm(event.verb)) continue;
      const Lane lane{event.rank, event.strand};
      if (event.kind == EventKind::posted && is_send(event.verb)) {
        Message message{{event.rank, event.peer, event.bytes, event.in_offset, 0, event.phase},
                        completed[lane]};
        if (last_send[lane] != 0) message.after.push_back(last_send[lane]);
        last_send[lane] = event.op;
        messages.emplace(event.op, std::move(message));
      } else if (event.kind == EventKind::posted) {
        posted[lane].push_back(event.op);
      } else if (event.kind == EventKind::completed && is_recv(event.verb)) {
        cause[event.op] = event.cause;
        completed[lane].push_back(event.cause);
      }
    }
  for (const auto& [lane, receives] : posted)
    for (std::size_t i = 1; i < receives.size(); ++i)
      messages.at(cause.at(receives[i])).after.push_back(cause.at(receives[i - 1]));

  Traffic traffic;
  std::vector<std::uint64_t> bytes(static_cast<std::size_t>(world_size));
  for (auto& [op, message] : messages) {
    traffic.rounds = std::max(traffic.rounds, round_of(op, messages));
    bytes[static_cast<std::size_t>(message.sent.from)] += message.sent.bytes;
    traffic.messages.push_back(message.sent);
  }
  traffic.busiest_bytes = *std::ranges::max_element(bytes);
  return traffic;
}

}  // namespace rankscope::test
