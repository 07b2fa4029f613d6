// Queues messages at their ports and lets their bytes flow over a network.
#include "engine/network/flow/replay.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <queue>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

constexpr double kNoMoment = std::numeric_limits<double>::infinity();

class Replay {
 public:
  Replay(const Topology& topology, std::span<const PostedMessage> messages, LinkObserver& observer,
         std::vector<LinkFailure> failures)
      : messages_(messages),
        model_(topology.model),
        network_(make_network(topology, {.failures = std::move(failures), .observer = &observer})),
        carried_(messages.size()),
        started_(messages.size()),
        out_(ports_of(topology, messages)),
        in_(out_.size()) {}

  std::vector<CarriedTime> run() {
    std::size_t next = 0;
    for (;;) {
      const double posted = next < messages_.size() ? messages_[next].posted : kNoMoment;
      const double planned = planned_.empty() ? kNoMoment : planned_.top().at;
      const double ended = network_->next_end();
      const double now = std::min({posted, planned, ended});
      if (now == kNoMoment) return std::move(carried_);
      clock_ = std::max(clock_, now);
      if (ended <= now) take_ended();
      else if (planned <= now) take_planned();
      else post(next++);
    }
  }

 private:
  /// A message that begins to flow, or releases its ports, at a time.
  struct Planned {
    double at;
    std::size_t message;
    bool release;
    bool operator>(const Planned& other) const {
      return at != other.at ? at > other.at : message > other.message;
    }
  };
  using Queue = std::deque<std::size_t>;

  static std::size_t ports_of(const Topology& topology, std::span<const PostedMessage> messages) {
    int ports = topology.ranks();
    for (const PostedMessage& one : messages)
      ports = std::max({ports, one.out_port + 1, one.in_port + 1});
    return static_cast<std::size_t>(ports);
  }
  bool ports() const { return model_.ports != PortModel::none; }
  Queue& out(std::size_t message) {
    const PostedMessage& one = messages_[message];
    return out_[static_cast<std::size_t>(one.out_port < 0 ? one.from : one.out_port)];
  }
  Queue& in(std::size_t message) {
    auto& queues = model_.ports == PortModel::half ? out_ : in_;
    const PostedMessage& one = messages_[message];
    return queues[static_cast<std::size_t>(one.in_port < 0 ? one.to : one.in_port)];
  }
  /// Returns whether the latency comes first and holds the ports: in the alpha-beta model, and without ports.
  bool latency_first() const {
    return !ports() || (model_.overhead == 0 && model_.gap == 0 && model_.byte_overhead == 0);
  }

  void post(std::size_t message) {
    if (!ports()) return start(message);
    out(message).push_back(message);
    in(message).push_back(message);
    start_if_first(out(message));
  }

  void start_if_first(const Queue& queue) {
    if (queue.empty()) return;
    const std::size_t first = queue.front();
    if (!started_[first] && out(first).front() == first && in(first).front() == first) start(first);
  }

  void start(std::size_t message) {
    started_[message] = true;
    const PostedMessage& one = messages_[message];
    if (latency_first())
      planned_.push({clock_ + network_->latency(one.from, one.to), message, false});
    else flow(message);
  }

  void flow(std::size_t message) {
    const PostedMessage& one = messages_[message];
    carried_[message].begin = clock_;
    if (one.bytes == 0) return flowed(message);
    flowing_.emplace(network_->begin(clock_, one.from, one.to, one.bytes), message);
  }

  void flowed(std::size_t message) {
    carried_[message].end = clock_;
    if (!ports()) return;
    const double free = latency_first() ? clock_ : carried_[message].begin + model_.gap;
    if (free > clock_) planned_.push({free, message, true});
    else release(message);
  }

  void release(std::size_t message) {
    Queue &leaving = out(message), &entering = in(message);
    for (Queue* queue : {&leaving, &entering})
      if (!queue->empty() && queue->front() == message) queue->pop_front();
    start_if_first(leaving);
    start_if_first(entering);
  }

  void take_planned() {
    const Planned one = planned_.top();
    planned_.pop();
    if (one.release) release(one.message);
    else flow(one.message);
  }

  void take_ended() {
    ended_.clear();
    network_->advance(clock_, ended_);
    for (const auto& [id, at, failed] : ended_) {
      const auto found = flowing_.find(id);
      if (found == flowing_.end()) continue;
      const std::size_t message = found->second;
      flowing_.erase(found);
      flowed(message);
    }
  }

  const std::span<const PostedMessage> messages_;
  const NetworkModel model_;
  const std::unique_ptr<Network> network_;
  std::vector<CarriedTime> carried_;
  std::vector<bool> started_;
  std::vector<Queue> out_,
      in_;  ///< The messages that wait at each rank's ports, in the order of posting.
  std::priority_queue<Planned, std::vector<Planned>, std::greater<>> planned_;
  std::unordered_map<TransferId, std::size_t> flowing_;
  std::vector<Network::Ended> ended_;
  double clock_ = 0;
};

}  // namespace

std::vector<CarriedTime> replay(const Topology& topology, std::span<const PostedMessage> messages,
                                LinkObserver& observer, std::vector<LinkFailure> failures) {
  check_topology(topology);
  for (const PostedMessage& one : messages)
    if (std::max(one.from, one.to) >= topology.ranks() || std::min(one.from, one.to) < 0)
      throw UserError(fmt::format("the network has {} ranks, and a message goes from rank {} to {}",
                                  topology.ranks(), one.from, one.to));
  return Replay(topology, messages, observer, std::move(failures)).run();
}

}  // namespace rankscope
