// Carries out orders to the step gate in a thread of its own, since most block until the ranks stand still again.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/run/step/step_controller.h"

namespace rankscope::gui {

class GateOrderLine {
 public:
  using Order = std::function<std::string(StepController&)>;

  /// `changed` is called after each order.
  explicit GateOrderLine(std::function<void()> changed);
  /// All runs must have ended.
  ~GateOrderLine();

  /// Takes orders for this run from now on (null for one that is not held), and drops older ones.
  void begin(std::shared_ptr<StepController> controller);
  void push(Order order);
  void pause();
  /// Releases the ranks until the next order, which pauses them first.
  void resume();
  /// A run whose ranks were released goes on afterwards.
  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  struct State {
    std::string answer;    ///< The answer to the last order.
    bool resumed = false;  ///< The ranks are released.
    bool busy = false;     ///< An order waits or is being carried out.
  };
  State state() const;

 private:
  struct Waiting {
    enum class Kind : std::uint8_t { ask, resume, breakpoints };
    Kind kind = Kind::ask;
    Order order;
  };
  void put(Waiting waiting);
  bool next(Waiting& order);
  void work();
  void carry_out(StepController& controller, const Waiting& waiting);
  void let_go(std::shared_ptr<StepController> controller);
  bool halt(StepController& controller);
  void wait_for_ranks(StepController& controller);
  void put_answer(std::string answer);
  bool quits() const;

  const std::function<void()> changed_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::shared_ptr<StepController> controller_;
  std::deque<Waiting> line_;
  std::string answer_;
  bool resumed_ = false, working_ = false, quit_ = false;
  // Used by the thread alone.
  std::shared_ptr<StepController> current_;
  bool ready_ = false;         ///< Its ranks have started.
  std::future<bool> running_;  ///< The result of resume(): whether a pause ended it.
  std::thread thread_;
};

}  // namespace rankscope::gui
