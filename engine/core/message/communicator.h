// The Communicator, an algorithm's only interface: messages, reduction, clock, scratch memory, phases.
// Algorithms are plain blocking code on these verbs, as a student would write them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/buffer.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/site.h"
#include "engine/core/base/types.h"
#include "engine/core/trace/event.h"

namespace rankscope {

/// Shared by copies. If the members are all ranks of the world in order, no list is stored, because a simulation may
/// have very many.
class Members {
 public:
  static Members all(int size) {
    Members out;
    out.size_ = size;
    return out;
  }
  explicit Members(std::vector<Rank> ranks)
      : size_(static_cast<int>(ranks.size())),
        ranks_(std::make_shared<const std::vector<Rank>>(std::move(ranks))) {}

  int size() const noexcept { return size_; }
  /// Precondition: 0 <= rank < size.
  Rank operator[](Rank rank) const noexcept {
    return ranks_ ? (*ranks_)[static_cast<std::size_t>(rank)] : rank;
  }
  /// Returns -1 for a rank that is not a member.
  Rank index_of(Rank world) const noexcept {
    if (!ranks_) return world >= 0 && world < size_ ? world : -1;
    const auto found = ranges::find(*ranks_, world);
    return found == ranks_->end() ? -1 : static_cast<Rank>(found - ranks_->begin());
  }
  std::vector<Rank> list() const {
    if (ranks_) return *ranks_;
    std::vector<Rank> out(static_cast<std::size_t>(size_));
    std::iota(out.begin(), out.end(), 0);
    return out;
  }

 private:
  Members() = default;
  int size_ = 0;
  std::shared_ptr<const std::vector<Rank>> ranks_;
};

class Communicator;
class Message;
class Progress;
class RankContext;
struct OpContext;
struct Operation;
using OperationPtr = std::shared_ptr<Operation>;

/// A receive's result. `source` is a rank of the communicator.
struct Received {
  Rank source = -1;
  Tag tag = 0;
  std::uint64_t bytes = 0;
};

/// A send or receive under way. Destroying it unfinished withdraws it: waits until the link returns its memory, and
/// abandons the link if that takes too long.
class Request {
 public:
  Request() = default;
  Request(Request&&) noexcept = default;
  Request& operator=(Request&& other) noexcept;
  ~Request() { abandon(); }
  bool pending() const noexcept { return op_ != nullptr; }
  /// Marks a request that its code waits for at once: it counts as send or recv, not as isend or irecv and wait.
  Request& as_blocking() noexcept {
    blocking_ = true;
    return *this;
  }

 private:
  friend class Communicator;
  Request(OperationPtr op, Progress& progress) : op_(std::move(op)), progress_(&progress) {}
  void abandon() noexcept;
  OperationPtr op_;
  Progress* progress_ = nullptr;
  std::int64_t blocked_since_ =
      0;  ///< When the wait first blocked, if it is made in several calls.
  bool blocking_ = false;
};

/// An asynchronous collective on its own strand (thread and communication context). Its result is
/// defined after wait() only. Destroying it waits.
class Work {
 public:
  Work() = default;
  Work(Work&&) noexcept = default;
  Work& operator=(Work&& other) noexcept;
  ~Work();
  /// Returns when the collective is done on this rank; throws what the collective threw. Only the strand that started
  /// it may call this.
  void wait(Site site = std::source_location::current());
  bool test() const;
  /// Calls `then` when the collective is done: on the thread that ends it, or at once if it has ended. Use it only
  /// once.
  void when_done(std::function<void(bool failed)> then);

 private:
  friend class Communicator;
  struct State;
  std::shared_ptr<State> state_;
};

class Communicator {
 public:
  /// The communicator of all ranks.
  explicit Communicator(RankContext& rank);
  Communicator(Communicator&&) noexcept = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  Rank rank() const noexcept { return rank_; }
  int size() const noexcept { return members_.size(); }
  /// Throws UserError for a rank that does not exist.
  Rank world_rank(Rank rank) const { return checked(rank, false); }

  // Messages. `to` and `from` are ranks of this communicator; `from` may be kAnyRank and `tag` of a
  // receive kAnyTag. All throw CommError, and UserError for a rank that does not exist.

  void send(Rank to, Slice data, Tag tag = 0, Site site = std::source_location::current());
  /// Receives at most `into`'s size: a longer message is an error, a shorter one fills the beginning.
  Received recv(Rank from, Slice into, Tag tag = 0, Site site = std::source_location::current());
  /// Sends and receives at once, so the same call on the peers cannot deadlock.
  Received sendrecv(Rank to, Slice data, Rank from, Slice into, Tag tag = 0,
                    Site site = std::source_location::current());
  [[nodiscard]] Request isend(Rank to, Slice data, Tag tag = 0,
                              Site site = std::source_location::current());
  [[nodiscard]] Request irecv(Rank from, Slice into, Tag tag = 0,
                              Site site = std::source_location::current());
  Received wait(Request& request, Site site = std::source_location::current());
  /// Waits in parts, for programs that must return from time to time (Ctrl-C): returns nullopt if the request is not
  /// done at `limit`, and may then be called again. `message` receives an irecv_message's message.
  std::optional<Received> wait_until(Deadline limit, Request& request, Message* message = nullptr,
                                     Site site = std::source_location::current());
  /// Starts a send that completes only once its receive is posted, whatever the job's mode.
  [[nodiscard]] Request issend(Rank to, Slice data, Tag tag = 0,
                               Site site = std::source_location::current());
  /// Receives a message of any size; wait_until() hands it over.
  [[nodiscard]] Request irecv_message(Rank from, Tag tag = 0,
                                      Site site = std::source_location::current());
  /// Waits until one of the pending requests is done, finishes it, and returns its index; returns the number of
  /// requests if none is pending.
  std::size_t wait_any(std::span<Request> requests, Received* received = nullptr,
                       Site site = std::source_location::current());
  /// Returns the index of a pending request that is done, the number of requests if none is pending, or nothing if none
  /// is done at `limit`. The request stays pending.
  std::optional<std::size_t> any_done(Deadline limit, std::span<Request* const> requests,
                                      Site site = std::source_location::current());
  /// Returns whether wait() would not block. The request stays pending until wait().
  bool test(Request& request);
  /// Returns an arrived message that recv(from, ..., tag) would take; does not block.
  std::optional<Received> probe(Rank from, Tag tag = kAnyTag);
  /// Receives a message of exactly `into`'s size and reduces it from where it lies: into = into op message.
  void recv_reduce(Rank from, Slice into, ReduceOp op, Tag tag = 0,
                   Site site = std::source_location::current());

  // Recorded local work.

  /// into = into op from (same count). AVG accumulates as SUM; see scale.
  void reduce(Slice into, Slice from, ReduceOp op, Site site = std::source_location::current());
  /// into = from op into: the same with `from` as the left operand. Sums give the same result, but -0, NaN and MIN or
  /// MAX do not: two ranks that combine the same two operands must agree on their order.
  void reduce_left(Slice into, Slice from, ReduceOp op,
                   Site site = std::source_location::current());
  void copy(Slice into, Slice from, Site site = std::source_location::current());
  /// data /= ranks: the end of AVG.
  void scale(Slice data, int ranks, Site site = std::source_location::current());
  /// Models work that takes `time`, recorded as such: the rank sleeps, or its virtual time advances.
  void compute(std::chrono::nanoseconds time, Site site = std::source_location::current());
  /// Reports that code other than the verbs has changed `data`.
  void touch(Slice data, Site site = std::source_location::current());

  /// Returns zero-filled memory for the algorithm's own use, watched under `name`.
  Buffer scratch(DType dtype, Count count, std::string_view name = "scratch");
  /// Names a buffer, records its contents, and sets its id.
  void watch(std::string_view name, Buffer& buffer, Site site = std::source_location::current());

  /// Records that the rank's part of a job begins or ends; `code` is 0, or says what went wrong.
  void mark_job(Verb begin_or_end, int code);
  /// Records for the trace something noticed about a request (may be null) to or from `peer`.
  void note(Note what, const Request* about, Rank peer = kAnyRank,
            Site site = std::source_location::current());
  /// Records that the program calls a built-in collective or, with `returned`, that the call returned. `number` counts
  /// its calls on this communicator; `root` is kAnyRank if there is none. Must be called within the call's phase.
  void record_call(bool returned, int number, Slice data, ReduceOp op, Rank root,
                   Site site = std::source_location::current());

  /// Opens a named part of the algorithm, which lasts as long as the returned object. Phases nest.
  class [[nodiscard]] Phase;
  Phase phase(std::string_view name, Site site = std::source_location::current());

  /// Collective over this communicator: ranks with the same color form a new communicator, ordered by (key, rank). A
  /// rank with a negative color gets none.
  std::optional<Communicator> split(int color, int key,
                                    Site site = std::source_location::current());
  /// Returns a communicator of these ranks of this one, in this order; this rank must be among them. Local, so ranks
  /// that are left out need not call it: all members must give the same `key`, which names one group only.
  Communicator group(const std::vector<Rank>& ranks, std::string_view key) const;
  /// Returns a communicator of the same ranks with another context, for the built-in collectives that a program calls:
  /// no receive of the program matches their messages. Local; begin_call() separates the calls from each other.
  Communicator duplicate_for_built_in() const;
  /// Returns the context of built-in call `number` on this communicator. It is the same whether a rank waits for the
  /// call or runs it in the background.
  ContextId context_of_call(int number) const noexcept;
  /// Gives a communicator from duplicate_for_built_in() the context of its next call.
  void begin_call(ContextId context) noexcept;
  /// Collective: runs `body` on a strand of its own with a communicator of the same ranks. Every
  /// rank must start the same collectives in the same order. Buffers must outlive the Work.
  Work start(std::function<void(Communicator&)> body, Site site = std::source_location::current(),
             std::optional<ContextId> context = std::nullopt);

  /// Nanoseconds on the rank's clock.
  std::int64_t now() const noexcept;
  RankContext& context() noexcept { return *ctx_; }
  std::uint32_t definition() const noexcept { return definition_; }

 private:
  struct Strand {
    std::uint16_t id = 0;
    std::uint32_t
        caller = 0,
        phase = 0;  ///< The last of `callers` and `phases`, cached because every verb reads them.
    std::vector<std::uint32_t> phases;
    std::vector<std::string> phase_names;
    std::vector<std::uint32_t> callers;  ///< Site ids of the enclosing phases and calls.
    void update() noexcept {
      caller = callers.empty() ? 0 : callers.back();
      phase = phases.empty() ? 0 : phases.back();
    }
  };

  Communicator(RankContext& rank, std::shared_ptr<Strand> strand, Members members,
               ContextId context, std::string name);

  Rank checked(Rank rank, bool any_allowed) const;
  Rank local_rank(Rank world) const noexcept { return members_.index_of(world); }
  /// Charges a rank in virtual time for combining this many bytes.
  void spend_on_reduction(std::uint64_t bytes);
  OpContext op_context(Verb verb, const Site& site);
  void pass(const OperationPtr& op);
  ContextId context_of(Verb verb) const noexcept;
  OperationPtr post_send(Rank to, const Slice& data, Tag tag, Verb verb, const Site& site,
                         bool rendezvous = false);
  OperationPtr post_recv(Rank from, const Slice& into, Tag tag, Verb verb, const Site& site,
                         bool any_size = false);
  /// Waits for `op`. `waits` is the place of a wait for a request; null in the verb that posted `op`. A wait for a
  /// received message is recorded even if it does not block, because what follows in program order depends on it.
  Received finish(const OperationPtr& op, const Site* waits = nullptr);
  bool sleep_until(Deadline limit, const OperationPtr& op, std::int64_t& blocked_since,
                   const Site* waits);
  /// Shared by wait_any() and any_done(); sets `blocked` if nothing was done yet.
  std::size_t sleep_until_any(Deadline limit, const std::vector<OperationPtr>& ops,
                              const Site& site, bool& blocked);
  Received finished(const OperationPtr& op, std::int64_t blocked_since, const Site* waits);
  std::uint32_t site_id(const Site& site);
  StepEvent local_event(Verb verb, std::int64_t begin, const Site& site);
  /// The same for an event that changed these elements.
  StepEvent change_event(Verb verb, const Slice& changed, std::int64_t begin, const Site& site);
  void record_work(Verb verb, Slice into, Slice from, std::int64_t begin, const Site& site,
                   ReduceOp op = ReduceOp::sum);
  ContextId child_context(std::uint64_t kind, std::uint64_t number);

  RankContext* ctx_;
  std::shared_ptr<Strand> strand_;
  Members members_;  ///< World rank of each rank of this communicator.
  Rank rank_;
  ContextId context_;
  std::uint32_t definition_;
  std::string name_;
  std::uint64_t children_ = 0;
};

class [[nodiscard]] Communicator::Phase {
 public:
  Phase(Phase&& other) noexcept;
  Phase(const Phase&) = delete;
  Phase& operator=(Phase&&) = delete;
  ~Phase();

 private:
  friend class Communicator;
  Phase(Communicator& comm, std::string_view name, const Site& site);
  RankContext* ctx_;
  std::shared_ptr<Strand> strand_;  ///< Null once moved from.
  StepEvent event_;
};

/// Counts 0, 1, ..., n-1: `for (int step : steps(comm.size() - 1))`.
class steps {  // NOLINT(readability-identifier-naming): reads like a verb in a loop
 public:
  explicit steps(int count) noexcept : count_(count < 0 ? 0 : count) {}
  struct iterator {  // NOLINT(readability-identifier-naming)
    int at;
    int operator*() const noexcept { return at; }
    iterator& operator++() noexcept {
      ++at;
      return *this;
    }
    bool operator!=(const iterator& other) const noexcept { return at != other.at; }
  };
  iterator begin() const noexcept { return {0}; }
  iterator end() const noexcept { return {count_}; }

 private:
  int count_;
};

}  // namespace rankscope
