// Drives the step gates of all ranks: release one message, one step of a rank, one round; run to a
// breakpoint. Used by the terminal prompt and the app while another thread conducts the run.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/core/base/deadline.h"
#include "engine/run/step/rank_view.h"

namespace rankscope {

class WakeFd;

inline constexpr int kAnyStrand = -1;

/// Commands may come from any thread except the conducting one. Each waits until the ranks stand still again (all their
/// strands held or blocked, or done) and returns a description of what happened.
class StepController {
 public:
  StepController();
  ~StepController();

  /// Sets whether the gates of later jobs start closed (the default) or open.
  void start_closed(bool closed);
  /// Returns the views by rank and strand; every rank has one for its main strand.
  std::vector<RankView> ranks() const;
  int world_size() const;
  /// Permits the held send of the lowest round (or of `sender`) and runs its receiver up to the match, or reports that
  /// the receiver is absent.
  std::string release_message(Rank sender = -1, int strand = kAnyStrand);
  /// Runs one verb of a rank: the given strand's, or that of the strand held in the lowest round.
  std::string step(Rank rank, int strand = kAnyStrand);
  /// Runs everything in the next round: from each strand at most one send, to each strand at most one message.
  std::string round();
  /// Opens the gates; returns when a breakpoint is hit, the run ends or pause() is called. `paused`, if not null, is
  /// set in the last case.
  std::string resume(bool* paused = nullptr);
  std::string pause();
  std::string add_breakpoint(Breakpoint breakpoint);
  std::string clear_breakpoints();
  /// Ends the run; without a run, the next one.
  void quit();
  /// Waits until all ranks stand still or the run is over. Returns false at the deadline.
  bool wait_still(Deadline deadline);
  bool finished() const;

  // Called by the conducting thread.
  struct Gates {
    virtual ~Gates() = default;
    virtual void set_gate(Rank rank, GateOrders orders) = 0;
    virtual void permit(Rank rank, OpId op) = 0;
  };
  void begin(int world_size, Gates& gates);
  void on_report(StepReport report);
  void on_end(Rank rank, bool lost);
  /// Advances commands; to be called after every message and at least every few milliseconds while busy(). Returns
  /// false if the user wants to quit.
  bool advance();
  void end();
  bool busy() const;
  bool any_held() const;
  int wake_fd() const noexcept;
  /// Returns the gates' orders at the start of the job.
  GateOrders orders() const;

 private:
  struct Order {
    enum class Kind : std::uint8_t { message, step, round, resume, pause, breakpoint, clear };
    Kind kind = Kind::step;
    Rank rank = -1;  ///< For `message` and `step`; -1 for any rank.
    int strand = kAnyStrand;
    Breakpoint breakpoint = {};
    bool begun = false;
    int round = 0;     ///< For `round`.
    int released = 0;  ///< Messages.
    std::set<StrandId> senders = {},
                       receivers = {};  ///< For `round`: these have had their message.
    OpId sent = 0;                      ///< For `message`: the send that was released.
    StrandId receiver = {};             ///< The strand that now receives an earlier message.
    Clock::time_point since = Clock::now();
    bool* paused = nullptr;  ///< For `resume`: set when a pause ends it.
    std::optional<std::string> answer = {};
  };
  /// The highest rounds that a strand has sent and received.
  struct Pace {
    int sent = 0, received = 0;
  };
  struct Message {
    int round = 0;
    StrandId from;
    Rank to = -1;
    Tag tag = 0;
    ContextId context = 0;
    bool rendezvous = false;
    bool received = false;
  };

  std::string submit(Order order);
  void carry_on(Order& order);
  bool carry_gates(Order& order);
  void carry_resume(Order& order);
  void carry_step(Order& order);
  void carry_message(Order& order);
  void follow_message(Order& order);
  RankView* message_to_release(const Order& order);
  RankView* step_to_release(const Order& order);
  void carry_round(Order& order);
  bool release_round(Order& order);
  bool joins_round(const RankView& view, Order& order);
  void take(const StepReport& report);
  Message message_of(const RankView& send) const;
  static bool accepts(const RankView& receive, const Message& message);
  RankView* receiver_of(const Message& message);
  int round_of(const RankView& view) const;
  bool has_message(const RankView& view, bool delivered) const;
  bool may_be_waking(const RankView& view) const;
  bool drives(Rank rank) const;
  void permit(RankView& view);
  void set_all_gates(bool closed);
  bool still() const;
  bool all_done() const;
  std::string describe_moving_ranks() const;
  RankView* find(StrandId id);
  std::string describe_strand(StrandId id);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<WakeFd> wake_;
  Gates* gates_ = nullptr;
  std::map<StrandId, RankView> views_;
  std::map<StrandId, Pace> paces_;
  std::vector<std::uint64_t> permits_;  ///< Per rank, in this job.
  std::map<OpId, Message> sent_;        ///< The messages that were released one by one.
  std::vector<Breakpoint> breakpoints_;
  std::uint64_t orders_number_ = 1;
  std::uint64_t opened_ = 0;  ///< Number of the orders by which the user last opened the gates.
  bool start_closed_ = true;
  bool closed_ = true;
  bool rounds_known_ = true;  ///< The gates were never open in this run.
  bool quit_ = false;
  bool ended_ = false;
  Order* order_ = nullptr;
  Clock::time_point quiet_since_ = Clock::now();
};

}  // namespace rankscope
