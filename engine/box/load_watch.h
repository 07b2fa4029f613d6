// Tells whether other programs on the machine may be the reason why a run took too long.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

namespace rankscope {

/// Tells a run that is late by itself from one that other programs held up. Threads that sleep all the time wait for
/// something that would not come on an idle machine either: they neither run nor wait for a processor, memory or a disk.
/// Threads that begin and end between two looks are not seen.
class LoadWatch {
 public:
  /// `runnable_s` returns the seconds of the program's threads so far (BoxGroup::runnable_s).
  LoadWatch(std::function<std::optional<double>()> runnable_s, double timeout_s);

  /// To be called repeatedly by one thread while the run goes on.
  void look(double elapsed_s);
  /// To be called at its end by each thread of ours that was started for this run.
  void add_own();
  /// Returns whether a run that reached its limit slept for at least half of it; false where that is unknown.
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
