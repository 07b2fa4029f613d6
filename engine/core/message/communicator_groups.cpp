// Makes communicators from others, by split, group or duplicate, and runs collectives on their own strands.
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"

namespace rankscope {
namespace {

// SplitMix64's finaliser: distinct inputs give distinct, well spread contexts.
ContextId mix(ContextId x) noexcept {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

}  // namespace

ContextId Communicator::child_context(std::uint64_t kind, std::uint64_t number) {
  return mix(mix(context_ + 0x9E3779B97F4A7C15ULL * (++children_)) + (kind << 32) + number);
}

Communicator Communicator::duplicate_for_built_in() const {
  return Communicator(*ctx_, strand_, members_, mix(context_ + (std::uint64_t{3} << 32)),
                      fmt::format("{} (built-in)", name_));
}

ContextId Communicator::context_of_call(int number) const noexcept {
  return mix(mix(context_ + (std::uint64_t{2} << 32)) + static_cast<std::uint64_t>(number));
}

void Communicator::begin_call(ContextId context) noexcept {
  context_ = context;
  children_ = 0;
}

std::optional<Communicator> Communicator::split(int color, int key, Site site) {
  // A built-in call has opened a phase already: "built-in new_group".
  std::optional<Phase> where;
  if (strand_->phase_names.empty() || !strand_->phase_names.back().starts_with(kBuiltIn))
    where.emplace(phase("split", site));
  struct Choice {
    std::int32_t color, key;
  };
  std::vector<std::int32_t> table(static_cast<std::size_t>(size()) * 2);
  const auto entry = [&](Rank r) {
    return Slice(reinterpret_cast<std::byte*>(table.data() + 2 * r), DType::int32, 2, 0, 0);
  };
  table[static_cast<std::size_t>(2 * rank_)] = color;
  table[static_cast<std::size_t>(2 * rank_ + 1)] = key;
  // All ranks send to rank 0, rank 0 sends to all.
  const Slice all(reinterpret_cast<std::byte*>(table.data()), DType::int32,
                  static_cast<Count>(table.size()), 0, 0);
  constexpr Tag kSplitTag = 0x53504C;
  if (rank_ == 0) {
    for (Rank r = 1; r < size(); ++r)
      finish(post_recv(r, entry(r), kSplitTag, Verb::sync_recv, site));
    for (Rank r = 1; r < size(); ++r) finish(post_send(r, all, kSplitTag, Verb::sync, site));
  } else {
    finish(post_send(0, entry(rank_), kSplitTag, Verb::sync, site));
    finish(post_recv(0, all, kSplitTag, Verb::sync_recv, site));
  }
  const ContextId context = child_context(1, static_cast<std::uint32_t>(color));
  if (color < 0) return std::nullopt;
  std::vector<std::pair<std::int32_t, Rank>> mine;  // (key, rank)
  for (Rank r = 0; r < size(); ++r)
    if (table[static_cast<std::size_t>(2 * r)] == color)
      mine.emplace_back(table[static_cast<std::size_t>(2 * r + 1)], r);
  ranges::sort(mine);
  std::vector<Rank> members;
  members.reserve(mine.size());
  for (const auto& [k, r] : mine) members.push_back(world_rank(r));
  return Communicator(*ctx_, strand_, Members(std::move(members)), context,
                      fmt::format("{}/{}", name_, color));
}

Communicator Communicator::group(const std::vector<Rank>& ranks, std::string_view key) const {
  ContextId context = mix(context_ + (std::uint64_t{4} << 32));
  for (const char letter : key) context = mix(context ^ static_cast<unsigned char>(letter));
  std::vector<Rank> members;
  members.reserve(ranks.size());
  for (const Rank rank : ranks) members.push_back(world_rank(rank));
  return Communicator(*ctx_, strand_, Members(std::move(members)), context,
                      fmt::format("{}/{}", name_, key));
}

namespace {

/// Registers a strand with the gate for its lifetime. Registration happens in the starter's program order, so that the
/// rank does not seem to stand still before the new thread runs.
class StrandLife {
 public:
  StrandLife(RankContext& rank, std::uint16_t strand) : gate_(rank.gate()), strand_(strand) {
    if (gate_ != nullptr) gate_->strand_begins(strand_);
  }
  StrandLife(StrandLife&& other) noexcept
      : gate_(std::exchange(other.gate_, nullptr)), strand_(other.strand_) {}
  StrandLife& operator=(StrandLife&&) = delete;
  ~StrandLife() {
    if (gate_ != nullptr) gate_->strand_ends(strand_);
  }

 private:
  Gate* gate_;
  const std::uint16_t strand_;
};

}  // namespace

struct Work::State {
  RankContext* rank = nullptr;
  std::uint16_t strand = 0, starter = 0;
  std::thread thread;
  std::atomic<bool> done{false};
  std::exception_ptr error;
  std::mutex mutex;  ///< Guards `then`, and `done` as long as it is false.
  std::function<void(bool failed)> then;

  void end() {
    std::function<void(bool failed)> call;
    {
      const std::lock_guard lock(mutex);
      done.store(true, std::memory_order_release);
      call = std::move(then);
    }
    if (call) call(error != nullptr);
  }

  void join(const CallSite& where) {
    if (VirtualRank* const here = rank->virtual_rank()) return here->join_strand(strand, where);
    if (!thread.joinable()) return;
    if (Gate* const gate = rank->gate(); gate != nullptr) {
      GatePoint point;
      point.verb = Verb::wait;
      point.strand = starter;
      point.call = where;
      gate->awaits_strand(point, strand);
    }
    thread.join();
  }
};

Work Communicator::start(std::function<void(Communicator&)> body, Site site,
                         std::optional<ContextId> context) {
  auto strand = std::make_shared<Strand>();
  strand->id = ctx_->new_strand();
  strand->callers.push_back(site_id(site));
  strand->update();
  Work work;
  work.state_ = std::make_shared<Work::State>();
  work.state_->rank = ctx_;
  work.state_->strand = strand->id;
  work.state_->starter = strand_->id;
  auto child = std::make_shared<Communicator>(Communicator(*ctx_, strand, members_,
                                                           context ? *context : child_context(2, 0),
                                                           fmt::format("{}*", name_)));
  const auto run = [state = work.state_.get(), child, body = std::move(body)] {
    try {
      body(*child);
    } catch (...) {
      state->error = std::current_exception();
    }
    state->end();
  };
  if (VirtualRank* const here = ctx_->virtual_rank()) {
    here->start_strand(strand->id, run);
    return work;
  }
  work.state_->thread = std::thread([run, life = StrandLife(*ctx_, strand->id)]() mutable {
    const StrandLife ends_here = std::move(life);
    run();
  });
  return work;
}

void Work::wait(Site site) {
  if (!state_) return;
  state_->join(site.call_site());
  if (state_->error) std::rethrow_exception(state_->error);
}

bool Work::test() const {
  const auto done = [this] { return !state_ || state_->done.load(std::memory_order_acquire); };
  if (!done() && state_->rank->virtual_rank() != nullptr)
    state_->rank->virtual_rank()->poll_found_nothing();
  return done();
}

void Work::when_done(std::function<void(bool failed)> then) {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->done.load(std::memory_order_relaxed)) {
      state_->then = std::move(then);
      return;
    }
  }
  then(state_->error != nullptr);
}

Work& Work::operator=(Work&& other) noexcept {
  if (this != &other) {
    const Work ended(std::move(*this));  // waits
    state_ = std::move(other.state_);
  }
  return *this;
}

Work::~Work() {
  if (state_) state_->join({});
}

}  // namespace rankscope
