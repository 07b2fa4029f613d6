// Records the verbs of each rank by running it alone; every receive gets what it asks for at once.
#include "engine/core/message/verb_schedule.h"

#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/message/communicator.h"
#include "engine/core/message/link.h"
#include "engine/core/message/rank_context.h"
#include "engine/core/message/virtual_rank.h"

namespace rankscope {
namespace {

[[noreturn]] void refuse(Rank rank, std::string_view what) {
  throw UserError(
      fmt::format("this program cannot be simulated as a schedule, since rank {} {}: simulate it "
                  "with fibers",
                  rank, what));
}

}  // namespace

/// A rank whose time does not pass.
class VerbRecorder : public VirtualRank, public Link {
 public:
  VerbRecorder(VerbSchedule& schedule, Rank rank)
      : schedule_(schedule),
        rank_(rank),
        line_(static_cast<std::size_t>(rank)),
        context_(rank, schedule.ranks(), *this, nullptr, nullptr, nullptr, this) {}

  void run(const std::function<void(Communicator&)>& body) {
    RankSettings settings;
    settings.ghost = true;
    context_.begin_job(1, settings);
    Communicator comm(context_);
    body(comm);
    finish_line();
  }

  // From Link
  void send(const FrameHeader& header, std::span<const std::byte>, Loan* loan) override {
    if (header.kind != FrameKind::eager) refuse(rank_, "sends by rendezvous");
    if (static_cast<Verb>(header.verb) == Verb::sync) refuse(rank_, "splits a communicator");
    add(Step::send, static_cast<std::uint32_t>(header.dst),
        schedule_.channel_of(header.context, header.tag), header.bytes);
    ++schedule_.messages_;
    if (loan != nullptr) loan->release();
  }
  std::optional<Frame> poll(Deadline) override { return std::nullopt; }
  void wake() noexcept override {}
  void abandon() noexcept override {}
  std::size_t lend_from() const noexcept override {
    return std::numeric_limits<std::size_t>::max();
  }
  LinkCounters counters() const override { return {}; }

  // From VirtualRank
  std::int64_t now_ns() const noexcept override { return 1; }
  void compute(std::chrono::nanoseconds time) override {
    add(Step::compute, 0, 0, static_cast<std::uint64_t>(std::max<std::int64_t>(0, time.count())));
  }
  void reduce(std::uint64_t bytes) override { add(Step::reduce, 0, 0, bytes); }
  void handle_message(std::uint64_t) override {}
  void poll_found_nothing() override { refuse(rank_, "looks whether something has arrived"); }
  void sleep(std::span<const OperationPtr> ops, Deadline deadline) override {
    if (!deadline.is_never()) refuse(rank_, "waits until a deadline");
    if (ops.size() != 1) refuse(rank_, "waits for one of several messages");
    const OperationPtr op = ops.front();
    if (op->peer == kAnyRank || op->tag == kAnyTag) refuse(rank_, "receives from any rank or tag");
    if (!op->data.ghost() || op->capacity == Operation::kAnySize)
      refuse(rank_, "receives what it may decide by");
    while (!op->complete && !op->error) receive(*op);
  }
  void wake_done() override {}
  void wake_all() noexcept override {}
  void note_site(std::uint32_t) noexcept override {}
  // No verb waits here, so the strand can run to completion at once.
  void start_strand(std::uint16_t strand, std::function<void()> body) override {
    const std::size_t line = schedule_.lines_.size();
    schedule_.lines_.push_back({rank_, {}});
    strands_[strand] = line;
    add(Step::start, 0, static_cast<std::uint32_t>(line), 0);
    std::vector<Step> steps = std::move(steps_);
    steps_.clear();
    const std::size_t outer = std::exchange(line_, line);
    body();
    finish_line();
    line_ = outer;
    steps_ = std::move(steps);
  }
  void join_strand(std::uint16_t strand, const CallSite&) override {
    add(Step::join, 0, static_cast<std::uint32_t>(strands_.at(strand)), 0);
  }

 private:
  using Step = VerbSchedule::Step;

  void add(Step::Kind kind, std::uint32_t peer, std::uint32_t channel, std::uint64_t amount) {
    steps_.push_back(Step::of(kind, peer, channel, amount));
  }
  void finish_line() { schedule_.lines_[line_].steps.assign(steps_.begin(), steps_.end()); }
  /// Delivers the message that `op` waits for, as large as the receive has room for.
  void receive(const Operation& op) {
    Frame frame;
    frame.header.epoch = 1;
    frame.header.context = op.context;
    frame.header.src = op.peer;
    frame.header.dst = rank_;
    frame.header.tag = op.tag;
    frame.header.bytes = op.capacity;
    if (op.capacity > 0) frame.header.flags = FrameHeader::kGhost;
    add(Step::receive, static_cast<std::uint32_t>(op.peer),
        schedule_.channel_of(op.context, op.tag), op.capacity);
    context_.progress().deliver(std::move(frame));
  }

  VerbSchedule& schedule_;
  const Rank rank_;
  std::size_t line_;
  std::vector<Step> steps_;
  std::unordered_map<std::uint16_t, std::size_t> strands_;
  RankContext context_;
};

VerbSchedule::VerbSchedule(int ranks) : ranks_(ranks) {
  lines_.resize(static_cast<std::size_t>(ranks));
  for (Rank rank = 0; rank < ranks; ++rank) lines_[static_cast<std::size_t>(rank)].rank = rank;
}

VerbSchedule::VerbSchedule(int ranks, const std::function<void(Communicator&)>& body,
                           const Heartbeat& heartbeat)
    : VerbSchedule(ranks) {
  for (Rank rank = 0; rank < ranks; ++rank) {
    VerbRecorder(*this, rank).run(body);
    if (!heartbeat || heartbeat(static_cast<std::uint64_t>(rank) + 1)) continue;
    stopped_ = true;
    return;
  }
}

std::uint32_t VerbSchedule::channel_of(ContextId context, Tag tag) {
  return channels_.try_emplace({context, tag}, static_cast<std::uint32_t>(channels_.size()))
      .first->second;
}

std::uint64_t VerbSchedule::bytes() const noexcept {
  std::uint64_t total = lines_.capacity() * sizeof(Line);
  for (const Line& line : lines_) total += line.steps.capacity() * sizeof(Step);
  return total;
}

}  // namespace rankscope
