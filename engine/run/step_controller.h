// Drives the step gates of all ranks: release one message, one step of a rank, one round; run to a
// breakpoint. Used by the terminal prompt and the app while another thread conducts the run.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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
  int round = 0;     ///< Round of the verb before which it is held.
  bool hit = false;  ///< Held by a breakpoint.
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

  std::vector<RankView> ranks() const;
  /// Permits the held send of the lowest round (or of `sender`) and runs its receiver up to the
  /// match, or says that the receiver is absent.
  std::string release_message(Rank sender = -1);
  std::string step(Rank rank);
  /// Everything that belongs to the next round.
  std::string round();
  /// Opens the gates until a breakpoint is hit or the run ends.
  std::string resume();
  std::string pause();
  std::string add_breakpoint(Breakpoint breakpoint);
  std::string clear_breakpoints();
  /// Ends the run.
  void quit();
  /// Waits until all ranks stand still or the run is over. False at the deadline.
  bool wait_still(Deadline deadline);
  bool finished() const;

  // The conducting thread's side.
  struct Gates {
    virtual ~Gates() = default;
    virtual void set_gate(Rank rank, bool closed, const std::vector<Breakpoint>& breakpoints) = 0;
    virtual void permit(Rank rank) = 0;
  };
  void begin(int world_size, Gates& gates);
  void on_held(RankView view, const std::vector<OpId>& completed);
  void on_blocked(Rank rank, Verb verb, Rank peer, OpId op, const std::vector<OpId>& completed);
  void on_end(Rank rank, bool lost);
  /// Carries commands on; to be called after every message and at least every few milliseconds
  /// while busy(). Returns false when the user wants to quit.
  bool advance();
  void end();
  bool busy() const;
  bool any_held() const;
  int wake_fd() const noexcept;
  /// The gates start closed.
  bool closed() const;
  std::vector<Breakpoint> breakpoints() const;

 private:
  struct Order {
    enum class Kind : std::uint8_t { message, step, round, resume, pause, breakpoint, clear };
    Kind kind = Kind::step;
    Rank rank = -1;
    Breakpoint breakpoint;
    int stage = 0;
    int released = 0;
    OpId sent = 0;  ///< Of `message`: the send that was released.
    Rank receiver = -1;
    std::optional<std::string> answer;
  };
  struct RoundClock {
    int sent = 0, received = 0, completed = 0;
  };

  std::string submit(Order order);
  void carry_on(Order& order);
  void carry_message(Order& order);
  void carry_round(Order& order);
  void note_completed(Rank rank, const std::vector<OpId>& completed);
  int round_of(const RankView& view) const;
  void permit(RankView& view);
  void set_all_gates(bool closed);
  bool still() const;
  bool all_done() const;
  RankView& at(Rank rank) { return views_[static_cast<std::size_t>(rank)]; }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<WakeFd> wake_;
  Gates* gates_ = nullptr;
  std::vector<RankView> views_;
  std::vector<RoundClock> clocks_;
  std::map<OpId, int> send_rounds_;
  std::vector<Breakpoint> breakpoints_;
  bool closed_ = true;
  bool quit_ = false;
  bool ended_ = false;
  int round_ = 0;  ///< Rounds up to this one have been released.
  Order* order_ = nullptr;
  Clock::time_point quiet_since_ = Clock::now();
};

}  // namespace rankscope
