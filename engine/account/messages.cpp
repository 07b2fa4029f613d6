// Pairs each send of a trace with the receive that matched it.
#include "engine/account/messages.h"

#include <algorithm>

#include "engine/account/op_table.h"

namespace rankscope {

std::vector<MessageRecord> messages(const Trace& trace) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<MessageRecord> found;
  OpTable<std::uint32_t> by_send(kNone);  // send -> message
  OpTable<std::uint64_t> recv_posted(kNoEvent);
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    if (is_send(event.verb) && event.kind == EventKind::posted) {
      if (event.peer < 0 || event.peer >= trace.world_size()) continue;  // of a damaged file
      by_send[event.op] = static_cast<std::uint32_t>(found.size());
      MessageRecord message;
      message.send = event.op;
      message.from = event.rank;
      message.to = event.peer;
      message.bytes = event.bytes;
      message.tag = event.tag;
      message.sent = k;
      message.sync = event.verb == Verb::sync;
      found.push_back(message);
    } else if (is_send(event.verb)) {
      if (const auto at = by_send.find(event.op); at != kNone && event.kind == EventKind::completed)
        found[at].send_done = k;
    } else if (is_recv(event.verb)) {
      if (event.kind == EventKind::posted) {
        recv_posted[event.op] = k;
      } else if (const auto at = by_send.find(event.cause); at != kNone && event.cause != 0) {
        auto& message = found[at];
        message.recv = event.op;
        message.recv_posted = recv_posted.find(event.op);
        if (event.kind == EventKind::matched) message.matched = k;
        if (event.kind == EventKind::completed) message.received = k;
      }
    }
  }
  return found;
}

std::int64_t begin_ns(const Trace& trace, std::uint64_t k) noexcept {
  const StepEvent& event = trace[k];
  const auto end = trace.time_ns(k);
  if (event.begin_ns >= event.time_ns) return end;
  constexpr auto kLongest = std::uint64_t{1} << 61;  // a damaged file may say anything
  const auto spent =
      static_cast<std::uint64_t>(event.time_ns) - static_cast<std::uint64_t>(event.begin_ns);
  return end - static_cast<std::int64_t>(std::min(spent, kLongest));
}

}  // namespace rankscope
