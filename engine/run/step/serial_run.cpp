// Runs a job's ranks as threads of which only one moves at a time, as an order decides.
#include "engine/run/step/serial_run.h"

#include <algorithm>

#include "engine/core/base/ranges.h"
#include "engine/core/message/rank_context.h"

namespace rankscope {
namespace {

using std::chrono::milliseconds;

/// The longest wait for news before ranks that move are looked at again.
constexpr milliseconds kPollInterval{20};

bool is_message(FrameKind kind) { return kind == FrameKind::eager || kind == FrameKind::rts; }

}  // namespace

/// Keeps sent frames until their move; receives as an InprocLink.
class SerialRun::OrderedLink : public Link {
 public:
  OrderedLink(SerialRun& run, Rank rank) : run_(run), rank_(rank), inner_(rank, run.hub_) {}

  void send(const FrameHeader& header, std::span<const std::byte> payload, Loan* loan) override {
    run_.sent(rank_, header, payload);
    ++frames_sent_;
    bytes_sent_ += payload.size();
    if (loan != nullptr) loan->release();
  }
  std::optional<Frame> poll(Deadline deadline) override {
    return run_.poll(rank_, inner_, deadline);
  }
  void wake() noexcept override { inner_.wake(); }
  void abandon() noexcept override {}
  std::size_t lend_from() const noexcept override { return inner_.lend_from(); }
  LinkCounters counters() const override {
    LinkCounters out = inner_.counters();
    out.frames_sent = frames_sent_;
    out.bytes_sent = bytes_sent_;
    return out;
  }

 private:
  SerialRun& run_;
  const Rank rank_;
  InprocLink inner_;
  std::uint64_t frames_sent_ = 0, bytes_sent_ = 0;
};

/// Reports that a gate has news; called under the gate's lock.
class SerialRun::GateListener : public StepGate::Listener {
 public:
  GateListener(SerialRun& run, Rank rank) : run_(run), rank_(rank) {}
  void on_places(const StrandPlaces&, const GateStamp&, std::vector<Receipt>) noexcept override {
    run_.notify_change();
  }
  bool waits(Rank to) override { return run_.waits(rank_, to); }

 private:
  SerialRun& run_;
  const Rank rank_;
};

SerialRun::SerialRun(int world_size, InprocHub& hub, RunOrder& order)
    : hub_(hub),
      order_(order),
      serial_ranks_(static_cast<std::size_t>(world_size)),
      places_(static_cast<std::size_t>(world_size)) {
  for (Rank rank = 0; rank < world_size; ++rank) {
    serial_rank(rank).link = std::make_unique<InprocLink>(rank, hub);
    serial_rank(rank).gate_listener = std::make_unique<GateListener>(*this, rank);
  }
}

SerialRun::~SerialRun() {
  stop();
  if (thread_.joinable()) thread_.join();
}

std::unique_ptr<Link> SerialRun::link(Rank rank) {
  return std::make_unique<OrderedLink>(*this, rank);
}

StepGate::Listener* SerialRun::listener(Rank rank) { return serial_rank(rank).gate_listener.get(); }

void SerialRun::take(Rank rank, RankContext& context, StepGate& gate) {
  serial_rank(rank).context = &context;
  serial_rank(rank).gate = &gate;
  GateOrders orders;
  orders.closed = orders.looks = true;
  gate.set(std::move(orders));
}

void SerialRun::start() {
  thread_ = std::thread([this] { work(); });
}

void SerialRun::notify_change() {
  {
    const std::lock_guard lock(mutex_);
    ++changes_;
  }
  changed_.notify_all();
}

void SerialRun::ended(Rank rank) {
  {
    const std::lock_guard lock(mutex_);
    serial_rank(rank).ended = true;
  }
  notify_change();
}

void SerialRun::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

void SerialRun::sent(Rank from, const FrameHeader& header, std::span<const std::byte> payload) {
  const std::lock_guard lock(mutex_);
  Channel& channel = channels_[{from, header.dst}];
  Waiting waiting{header, Message::copy_of(payload), sends_++, 0};
  if (!is_message(header.kind)) return channel.control.push_back(std::move(waiting));
  waiting.number = channel.sent++;
  channel.messages.push_back(std::move(waiting));
}

std::optional<Frame> SerialRun::poll(Rank rank, InprocLink& link, Deadline deadline) {
  const auto sleeps = [&](bool yes) {
    const std::lock_guard lock(mutex_);
    serial_rank(rank).polls = yes;
    ++changes_;
  };
  if (!deadline.is_now()) {
    sleeps(true);
    changed_.notify_all();
  }
  auto frame = link.poll(deadline);
  const std::lock_guard lock(mutex_);
  serial_rank(rank).polls = false;
  if (frame) ++serial_rank(rank).taken;
  return frame;
}

bool SerialRun::waits(Rank from, Rank to) {
  const std::lock_guard lock(mutex_);
  return order_.waits(from, to, channels_[{from, to}].asked++);
}

// Under its progress engine's lock no strand falls asleep or wakes up, so the counts agree only if all strands listed
// as blocked sleep.
bool SerialRun::still(SerialRank& one, StrandPlaces& places) const {
  StrandsLook strands;
  const Progress::Look look = one.context->progress().look([&] { strands = one.gate->look(); });
  std::size_t in_verbs = 0;
  bool stands = !strands.places.empty();
  for (const auto& [strand, place] : strands.places) {
    stands &= place.state != StrandPlace::State::running;
    in_verbs += place.state == StrandPlace::State::blocked && place.awaits == 0 ? 1 : 0;
  }
  places = std::move(strands.places);
  return stands && look.stuck && in_verbs == look.asleep;
}

// A rank that computes for too long is left to itself until it stands still again.
bool SerialRun::all_still() {
  bool all = true;
  for (std::size_t r = 0; r < serial_ranks_.size(); ++r) {
    SerialRank& one = serial_ranks_[r];
    places_[r].clear();
    bool stands = still(one, places_[r]);
    const std::lock_guard lock(mutex_);
    if (one.ended) places_[r].clear();
    const bool in_verb = ranges::any_of(places_[r], [](const auto& known) {
      return known.second.state == StrandPlace::State::blocked && known.second.awaits == 0;
    });
    stands &= !in_verb || (one.polls && one.taken == one.delivered);
    if (stands || one.ended) {
      one.absent = false;
      one.began = true;
      one.moves_since.reset();
      continue;
    }
    all &= one.absent;
    if (!one.began) continue;
    if (!one.moves_since) one.moves_since = Clock::now();
    if (!one.absent && Clock::now() - *one.moves_since > order_.compute_limit()) {
      one.absent = true;
      order_.continue_without(static_cast<Rank>(r));
    }
  }
  return all;
}

void SerialRun::work() {
  std::uint64_t seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kPollInterval, [&] { return stopped_ || changes_ != seen; });
      if (stopped_) return;
      seen = changes_;
    }
    if (!all_still() || deliver_control()) continue;
    const auto possible = moves();
    if (possible.empty()) continue;  // all have ended, or are deadlocked, which others notice
    make(possible[std::min(order_.next(possible), possible.size() - 1)]);
  }
}

// Delivers a control frame, if there is one. Their order is no choice, because it cannot change a match.
bool SerialRun::deliver_control() {
  const std::lock_guard lock(mutex_);
  for (auto& [ends, channel] : channels_) {
    if (channel.control.empty()) continue;
    deliver(ends.first, ends.second, channel.control);
    return true;
  }
  return false;
}

void SerialRun::deliver(Rank from, Rank to, std::deque<Waiting>& queue) {
  Waiting one = std::move(queue.front());
  queue.pop_front();
  ++serial_rank(to).delivered;
  ++changes_;
  serial_rank(from).link->send(one.header, one.payload.payload(), nullptr);
}

std::vector<NextMove> SerialRun::moves() {
  std::vector<NextMove> out;
  const std::lock_guard lock(mutex_);
  for (const auto& [ends, channel] : channels_) {
    if (channel.messages.empty()) continue;
    const Waiting& first = channel.messages.front();
    NextMove move;
    move.kind = NextMove::Kind::message;
    move.rank = ends.second;
    move.from = ends.first;
    move.number = first.number;
    move.op = first.header.op;
    move.since = first.since;
    out.push_back(move);
  }
  for (std::size_t r = 0; r < places_.size(); ++r)
    for (const auto& [strand, place] : places_[r]) {
      if (place.state != StrandPlace::State::held) continue;
      NextMove move;
      const bool looks = place.point.op == 0;
      move.kind = looks ? NextMove::Kind::look : NextMove::Kind::verb;
      move.rank = static_cast<Rank>(r);
      move.strand = strand;
      move.number = (looks ? serial_ranks_[r].looks : serial_ranks_[r].verbs)[strand];
      move.op = place.point.op;
      move.news = looks && serial_ranks_[r].delivered > serial_ranks_[r].taken;
      out.push_back(move);
    }
  return out;
}

void SerialRun::make(const NextMove& move) {
  if (move.kind == NextMove::Kind::message) {
    const std::lock_guard lock(mutex_);
    deliver(move.from, move.rank, channels_[{move.from, move.rank}].messages);
    return;
  }
  SerialRank& one = serial_rank(move.rank);
  ++(move.kind == NextMove::Kind::look ? one.looks : one.verbs)[move.strand];
  one.gate->permit(move.op);
}

}  // namespace rankscope
