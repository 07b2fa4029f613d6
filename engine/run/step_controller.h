// Drives the step gates of all ranks: release one message, one step of a rank, one round; run to a
// breakpoint. Used by the terminal prompt and the app while another thread conducts the run.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/run/step_gate.h"

namespace rankscope {

class WakeFd;

/// Where one rank stands.
struct RankView {
  enum class State : std::uint8_t { running, held, blocked, done, lost };
  Rank rank = -1;
  State state = State::running;
  Verb verb = Verb::send;  ///< Of held and blocked ranks.
  Rank peer = -1;
  Tag tag = 0;
  std::uint64_t bytes = 0;
  OpId op = 0;
  std::string file, function,
      phase;  ///< Where it is held; of blocked ranks: where it was last held.
  unsigned line = 0;
  int round = 0;            ///< Of the verb before which it is held; 0: unknown.
  bool hit = false;         ///< Held by a breakpoint.
  bool rendezvous = false;  ///< The send needs its receiver.
};
std::string_view to_string(RankView::State state) noexcept;
/// "rank 2  held     before send to rank 3 (16 B)  allreduce_ring.cpp:27  reduce-scatter"
std::string describe(const RankView& view);

/// Commands may come from any thread but the conducting one. Each waits until the ranks stand still
/// again (held, blocked or done) and tells in words what happened.
class StepController {
 public:
  StepController();
  ~StepController();

  /// The gates of jobs to come start closed (so at first) or open.
  void start_closed(bool closed);
  std::vector<RankView> ranks() const;
  /// Permits the held send of the lowest round (or of `sender`) and runs its receiver up to the
  /// match, or says that the receiver is absent.
  std::string release_message(Rank sender = -1);
  std::string step(Rank rank);
  /// Everything that belongs to the next round: of each rank at most one send, to each rank at most
  /// one message.
  std::string round();
  /// Opens the gates; returns when a breakpoint is hit, the run ends or somebody calls pause().
  std::string resume();
  std::string pause();
  std::string add_breakpoint(Breakpoint breakpoint);
  std::string clear_breakpoints();
  /// Ends the run; before there is one, the next one.
  void quit();
  /// Waits until all ranks stand still or the run is over. False at the deadline.
  bool wait_still(Deadline deadline);
  bool finished() const;

  // The conducting thread's side.
  struct Gates {
    virtual ~Gates() = default;
    virtual void set_gate(Rank rank, GateOrders orders) = 0;
    virtual void permit(Rank rank, OpId op) = 0;
  };
  /// What a rank tells with its place: what it has heard, how far it is, what it received.
  struct Report {
    GateStamp stamp;
    std::uint64_t verbs = 0;
    std::vector<OpId> completed;  ///< Sends whose messages it has received since its last report.
  };
  void begin(int world_size, Gates& gates);
  void on_held(RankView view, const Report& report);
  void on_blocked(const RankView& view, const Report& report);
  void on_end(Rank rank, bool lost);
  /// Carries commands on; to be called after every message and at least every few milliseconds
  /// while busy(). Returns false when the user wants to quit.
  bool advance();
  void end();
  bool busy() const;
  bool any_held() const;
  int wake_fd() const noexcept;
  /// What the gates are to do as the job starts.
  GateOrders orders() const;

 private:
  struct Order {
    enum class Kind : std::uint8_t { message, step, round, resume, pause, breakpoint, clear };
    Kind kind = Kind::step;
    Rank rank = -1;
    Breakpoint breakpoint = {};
    bool begun = false;
    int round = 0;                                ///< Of `round`: which one.
    int released = 0;                             ///< Messages.
    std::set<Rank> senders = {}, receivers = {};  ///< Of `round`: who had their message.
    OpId sent = 0;                                ///< Of `message`: the send that was released.
    Rank receiver = -1;
    Clock::time_point since = Clock::now();
    std::optional<std::string> answer = {};
  };
  /// What is known of one rank beyond its place.
  struct Pace {
    int sent = 0, received = 0;  ///< Highest rounds.
    std::uint64_t permits = 0;
    std::uint64_t verbs = 0;
  };
  struct Message {
    int round = 0;
    Rank to = -1;
    Tag tag = 0;
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
  void carry_round(Order& order);
  bool release_round(Order& order);
  bool take(Rank rank, const Report& report);
  int round_of(const RankView& view) const;
  bool has_mail(const RankView& view, bool delivered) const;
  bool about_to_wake(const RankView& view) const;
  void permit(RankView& view);
  void set_all_gates(bool closed);
  bool still() const;
  bool all_done() const;
  std::string restless() const;
  RankView& at(Rank rank) { return views_[static_cast<std::size_t>(rank)]; }
  const RankView& at(Rank rank) const { return views_[static_cast<std::size_t>(rank)]; }
  Pace& pace(Rank rank) { return paces_[static_cast<std::size_t>(rank)]; }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<WakeFd> wake_;
  Gates* gates_ = nullptr;
  std::vector<RankView> views_;
  std::vector<Pace> paces_;
  std::map<OpId, Message> sent_;  ///< Those that were released one by one.
  std::vector<Breakpoint> breakpoints_;
  std::uint64_t orders_number_ = 1;
  bool start_closed_ = true;
  bool closed_ = true;
  bool rounds_known_ = true;  ///< The gates were never open in this run.
  bool quit_ = false;
  bool ended_ = false;
  Order* order_ = nullptr;
  Clock::time_point quiet_since_ = Clock::now();
};

}  // namespace rankscope
