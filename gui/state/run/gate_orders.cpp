// Queues orders to the step gates and runs them in a thread.
#include "gui/state/run/gate_orders.h"

#include <chrono>
#include <utility>

namespace rankscope::gui {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLook{50};

bool over(const std::future<bool>& answer, milliseconds timeout = milliseconds(0)) {
  return !answer.valid() || answer.wait_for(timeout) == std::future_status::ready;
}

}  // namespace

GateOrderLine::GateOrderLine(std::function<void()> changed)
    : changed_(std::move(changed)), thread_([this] { work(); }) {}

GateOrderLine::~GateOrderLine() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void GateOrderLine::begin(std::shared_ptr<StepController> controller) {
  const std::lock_guard lock(mutex_);
  controller_ = std::move(controller);
  line_.clear();
  answer_.clear();
  resumed_ = false;
}

void GateOrderLine::put(Waiting waiting) {
  {
    const std::lock_guard lock(mutex_);
    line_.push_back(std::move(waiting));
  }
  wake_.notify_all();
}

void GateOrderLine::push(Order order) { put({Waiting::Kind::ask, std::move(order)}); }

void GateOrderLine::pause() {
  push([](StepController& controller) { return controller.pause(); });
}

void GateOrderLine::resume() { put({Waiting::Kind::resume, {}}); }

void GateOrderLine::set_breakpoints(std::vector<Breakpoint> breakpoints) {
  put({Waiting::Kind::breakpoints, [all = std::move(breakpoints)](StepController& controller) {
         auto answer = controller.clear_breakpoints();
         for (const auto& breakpoint : all) answer = controller.add_breakpoint(breakpoint);
         return answer;
       }});
}

GateOrderLine::State GateOrderLine::state() const {
  const std::lock_guard lock(mutex_);
  return {answer_, resumed_, working_ || !line_.empty()};
}

bool GateOrderLine::quits() const {
  const std::lock_guard lock(mutex_);
  return quit_;
}

void GateOrderLine::put_answer(std::string answer) {
  {
    const std::lock_guard lock(mutex_);
    if (controller_ != current_) return;  // of a run that is gone
    answer_ = std::move(answer);
  }
  changed_();
}

bool GateOrderLine::next(Waiting& order) {
  std::unique_lock lock(mutex_);
  if (std::exchange(working_, false)) {
    lock.unlock();
    changed_();
    lock.lock();
  }
  wake_.wait(lock, [this] { return quit_ || !line_.empty(); });
  if (quit_) return false;
  order = std::move(line_.front());
  line_.pop_front();
  working_ = true;
  const auto controller = controller_;
  lock.unlock();
  if (current_ == controller) return true;
  if (current_) halt(*current_);
  current_ = controller;
  ready_ = false;
  return true;
}

void GateOrderLine::work() {
  for (Waiting order; next(order);) {
    if (!current_) {
      put_answer("no run is held at its gates: start one with every rank held first");
      continue;
    }
    wait_for_ranks(*current_);
    carry_out(*current_, order);
  }
  if (current_) halt(*current_);
}

// Waits until the ranks have started and stand at their first verbs, which takes longer than an order's time limit.
void GateOrderLine::wait_for_ranks(StepController& controller) {
  while (!ready_ && !quits()) ready_ = controller.wait_still(Deadline::in(kLook));
}

void GateOrderLine::carry_out(StepController& controller, const Waiting& waiting) {
  if (waiting.kind == Waiting::Kind::resume) {
    if (over(running_)) let_go(current_);
    return;
  }
  const bool ran = halt(controller);
  put_answer(waiting.order(controller));
  if (ran && waiting.kind == Waiting::Kind::breakpoints) let_go(current_);
}

void GateOrderLine::let_go(std::shared_ptr<StepController> controller) {
  const auto set_resumed = [this](const StepController* of, bool on) {
    {
      const std::lock_guard lock(mutex_);
      if (controller_.get() == of) resumed_ = on;
    }
    changed_();
  };
  set_resumed(controller.get(), true);
  running_ = std::async(std::launch::async, [this, controller, set_resumed] {
    bool paused = false;
    const std::string answer = controller->resume(&paused);
    set_resumed(controller.get(), false);
    {
      const std::lock_guard lock(mutex_);
      if (controller_ == controller) answer_ = answer;
    }
    changed_();
    return paused;
  });
}

// Ends a resume(), and returns whether the pause ended it, not a breakpoint. Repeats the pause, since one before the resume
// has no effect.
bool GateOrderLine::halt(StepController& controller) {
  if (!running_.valid()) return false;
  while (!over(running_)) {
    controller.pause();
    over(running_, milliseconds(10));
  }
  return running_.get();
}

}  // namespace rankscope::gui
