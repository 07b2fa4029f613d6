// Whether other programs on the machine may be why a run took too long.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

namespace rankscope {

/// Who sleeps all the time waits for something that will not come, and would alone, too: its threads neither run nor wait
/// for a processor, and nobody waits for memory or a disk. What threads do that are born and end between two looks is not
/// seen; who waits for them is.
class LoadWatch {
 public:
  /// `runnable_s`: of the program's threads so far (BoxGroup::runnable_s).
  LoadWatch(std::function<std::optional<double>()> runnable_s, double timeout_s);

  /// Again and again while the run goes on; not in several threads.
  void look(double elapsed_s);
  /// By each thread of ours that was begun for this run, at its end.
  void add_own();
  /// Of a run that reached its limit: all together slept for half of it at least. False where that is not known.
  bool slept() const;

 private:
  std::optional<double> awake_s() const;

  const std::function<std::optional<double>()> runnable_s_;
  const double timeout_s_;
  bool began_ = false, nearly_over_ = false;
  std::optional<double> first_, last_;
  std::atomic<double> own_ = 0;
};

}  // namespace rankscope
