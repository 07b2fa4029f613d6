// Whether other programs on the machine may be why a run took too long.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

namespace rankscope {

/// Who sleeps, or waits for somebody who sleeps, is not late because of others: its threads hardly wait for a processor.
/// So the waits of all threads that take part are added up; no run is longer than it would be alone by more than that.
/// Threads that are born and end between two looks are not seen.
class LoadWatch {
 public:
  /// `wait_s`: of the program's threads so far (BoxGroup::processor_wait_s).
  LoadWatch(std::function<std::optional<double>()> wait_s, double timeout_s);

  /// Again and again while the run goes on; not in several threads.
  void look(double elapsed_s);
  /// By each thread of ours that was begun for this run, at its end.
  void add_own();
  /// Of a run that reached its limit: it would have taken more than half of that with no other program beside it. False
  /// where that is not known.
  bool had_processor() const;

 private:
  const std::function<std::optional<double>()> wait_s_;
  const double timeout_s_;
  bool began_ = false, nearly_over_ = false;
  std::optional<double> first_, last_;
  std::atomic<double> own_ = 0;
};

}  // namespace rankscope
