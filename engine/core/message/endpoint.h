// Matching: a state machine without threads or clocks on top of a Link. It pairs sends with receives (order per pair,
// tags, wildcards), implements eager and rendezvous sends, and keeps counters.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/base/buffer.h"
#include "engine/core/base/error.h"
#include "engine/core/message/link.h"

namespace rankscope {

/// `Pointer` is a shared_ptr to a type with a Pointer `next_posted`. The list allocates nothing and touches only the
/// memory of the operations, because more would cost a simulation of many ranks cache misses.
template <class Pointer>
class PostedReceives {
 public:
  PostedReceives() = default;
  PostedReceives(PostedReceives&& other) noexcept
      : first_(std::move(other.first_)), last_(std::exchange(other.last_, nullptr)) {}
  PostedReceives& operator=(PostedReceives&& other) noexcept {
    clear();
    first_ = std::move(other.first_);
    last_ = std::exchange(other.last_, nullptr);
    return *this;
  }
  ~PostedReceives() { clear(); }

  void push_back(const Pointer& op) {
    Pointer& end = last_ == nullptr ? first_ : last_->next_posted;
    end = op;
    last_ = op.get();
  }
  /// Removes and returns the first match; null if there is none.
  template <class Fits>
  Pointer take_first(Fits fits) {
    typename Pointer::element_type* before = nullptr;
    for (Pointer* place = &first_; *place; before = place->get(), place = &before->next_posted) {
      if (!fits(*place)) continue;
      Pointer found = std::move(*place);
      *place = std::move(found->next_posted);
      found->next_posted = nullptr;
      if (last_ == found.get()) last_ = before;
      return found;
    }
    return nullptr;
  }
  // Frees one node at a time: recursive destruction would need a stack as deep as the list is long.
  void clear() noexcept {
    while (first_) first_ = std::exchange(first_->next_posted, nullptr);
    last_ = nullptr;
  }

 private:
  Pointer first_;
  typename Pointer::element_type* last_ = nullptr;
};

/// An operation's context for the recorder: filled in by the Communicator, never changed here.
struct OpContext {
  std::uint32_t comm = 0, site = 0, phase = 0;
  std::uint16_t strand = 0;
  Verb verb = Verb::send;
};

/// A send or a receive between posting and completion. Owned jointly by the request and the
/// endpoint; all fields are guarded by the owner that serialises calls (Progress).
struct Operation : std::enable_shared_from_this<Operation> {
  Operation(Loan::Waker waker, void* waker_context) : loan(waker, waker_context) {}

  OpId id = 0;
  ContextId context = 0;
  OpContext where;
  Rank peer = kAnyRank;  ///< World rank; for a wildcard receive, the source once matched.
  Tag tag = 0;           ///< kAnyTag: a receive of any tag, until it is matched.
  SendMode mode = SendMode::buffered;
  Slice data;  ///< The memory that a send reads or a receive fills; empty if `takes_message`.
  std::uint64_t capacity = 0;  ///< Largest payload that a receive accepts, in bytes.
  bool takes_message = false;  ///< The receive keeps the Message instead of copying it.

  Message message;
  std::uint64_t bytes = 0;  ///< Payload size; for a receive, known once matched.
  OpId cause = 0;           ///< The other side's operation.
  Loan loan;
  bool lent = false;
  bool complete = false;  ///< For a lent send: handed to the link; done once the loan is returned.
  std::optional<CommError> error;
  std::shared_ptr<Operation> next_posted;  ///< The next in the endpoint's list of posted receives.

  /// The size that a receive asks for; 0 if it accepts any.
  std::uint64_t wanted() const noexcept { return capacity == kAnySize ? 0 : capacity; }
  static constexpr std::uint64_t kAnySize = ~std::uint64_t{0};

  bool done() const noexcept { return complete && (!lent || loan.released()); }
};
using OperationPtr = std::shared_ptr<Operation>;

/// Frames of the current job between this rank and another one.
struct FrameCount {
  std::uint64_t sent = 0;
  std::uint64_t arrived = 0;  ///< In the matcher; frames still in the link are not counted.
  bool operator==(const FrameCount&) const = default;
};

class Endpoint {
 public:
  struct Observer {
    virtual ~Observer() = default;
    virtual void on_matched(const Operation& op) = 0;
    virtual void on_completed(const Operation& op) = 0;
  };
  struct Limits {
    /// The most eager bytes under way to one peer. Beyond this limit a send waits for its receive, whatever its mode,
    /// so that a receiver that is far behind slows its sender down instead of filling memory.
    std::uint64_t unreceived_bytes = std::uint64_t{1} << 30;
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
    bool counts_traffic = true;
  };

  Endpoint(Rank self, Link& link, Observer& observer) : Endpoint(self, link, observer, Limits{}) {}
  Endpoint(Rank self, Link& link, Observer& observer, Limits limits);

  /// Starts a job and forgets the previous one. Frames of earlier epochs are dropped and counted, those
  /// of later ones are kept until their job begins.
  void begin_job(std::uint32_t epoch);
  /// Precondition: `op` has id, context, where, peer, tag, mode and data set.
  void post_send(const OperationPtr& op);
  void post_recv(const OperationPtr& op);
  /// Withdraws a send or receive whose memory is going away. Data that come later are dropped.
  void cancel(const OperationPtr& op) noexcept;
  void on_frame(Frame&& frame);

  /// An arrived message that no receive has taken.
  struct Probe {
    Rank source;
    Tag tag;
    std::uint64_t bytes;
  };
  /// Returns the message that a receive with these arguments would take.
  std::optional<Probe> probe(ContextId context, Rank from, Tag tag) const;
  /// By world rank; a rank beyond the end has exchanged nothing with this one.
  const std::vector<FrameCount>& traffic() const noexcept { return traffic_; }
  /// The same, with its context.
  struct Unreceived {
    ContextId context;
    Rank source;
    Tag tag;
    std::uint64_t bytes;
  };
  std::vector<Unreceived> unreceived(std::size_t most) const;
  /// Frames that were dropped: of an earlier epoch, or with data of another size than announced.
  std::uint64_t stale_frames() const noexcept { return stale_; }
  /// The number of arrived messages that no receive has taken.
  std::size_t unexpected() const noexcept;

 private:
  struct Matcher {
    PostedReceives<OperationPtr> posted;
    std::deque<Frame> unexpected;
  };
  struct PeerCredit {
    std::uint64_t sent = 0;      ///< Eager bytes sent and not known to be received.
    std::uint64_t received = 0;  ///< Eager bytes received and not yet acknowledged.
  };

  template <class Visit>
  void visit_matchers(Visit visit) const {
    visit(first_matcher_);
    for (const auto& [context, matcher] : matchers_) visit(matcher);
  }
  static bool matches(Rank from, Tag tag, const FrameHeader& header) noexcept;
  void match(const OperationPtr& recv, Frame&& frame);
  void deliver(Operation& recv, Frame&& frame);
  void on_incoming(Frame&& frame);
  void on_cts(const FrameHeader& cts);
  bool take_credit(Rank peer, std::uint64_t bytes);
  void transmit(FrameHeader header, const OperationPtr& op);
  void send_control(FrameHeader header);
  void put_on_link(const FrameHeader& header, std::span<const std::byte> payload, Loan* loan);
  FrameCount& traffic_with(Rank peer);
  void give_credit(Rank peer, std::uint64_t bytes);
  void drain_loopback();
  FrameHeader header_of(FrameKind kind, const Operation& op) const noexcept;

  const Rank self_;
  Link& link_;
  Observer& observer_;
  const Limits limits_;
  std::uint32_t epoch_ = 0;
  std::uint64_t stale_ = 0;
  Matcher& matcher_of(ContextId context);
  const Matcher* find_matcher(ContextId context) const noexcept;
  /// Most messages have the context of the first one, so its matcher is stored directly.
  std::optional<ContextId> first_context_;
  Matcher first_matcher_;
  std::unordered_map<ContextId, Matcher> matchers_;  ///< For all other contexts.
  std::unordered_map<OpId, OperationPtr> waiting_cts_;
  std::unordered_map<OpId, OperationPtr> waiting_data_;
  std::unordered_map<Rank, PeerCredit> credit_;
  std::vector<FrameCount> traffic_;
  std::vector<OperationPtr> lent_;  ///< Keeps operations alive while the link holds their loans.
  std::deque<Frame> loopback_;
  std::deque<Frame> early_;  ///< Frames of later epochs: a peer started before us.
  bool draining_ = false;
};

}  // namespace rankscope
