// Makes documents of a run while it goes on, in a thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "gui/state/run/document.h"
#include "gui/state/run/recording.h"

namespace rankscope::gui {

class DocumentMaker {
 public:
  /// `made` is called when there is a document to take, `failed` with the reason why there will be none.
  DocumentMaker(std::function<void()> made, std::function<void(std::string)> failed);
  ~DocumentMaker();

  /// Makes documents of this run from now on. `plan`: see Document::make.
  void begin(std::shared_ptr<Recording> recording, std::optional<TraceAnalysis> plan = {});
  /// Reports that the run has grown. The pause between documents grows with the time for making one, so that watching a huge run
  /// does not slow it down.
  void grown();
  /// Waits for the document of a closed run, or until give_up().
  void finish();
  /// Gives up the current run's last document because another run begins.
  void give_up();
  /// Returns whether the document that was taken last shows all of the run.
  bool up_to_date() const;
  /// Returns the newest document, once.
  DocumentPtr take();

 private:
  using Clock = std::chrono::steady_clock;
  void work();
  DocumentPtr make(Recording& recording, bool whole, const TraceAnalysis* plan);

  const std::function<void()> made_;
  const std::function<void(std::string)> failed_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Recording> recording_;
  std::optional<TraceAnalysis> plan_;
  bool grown_ = false, closed_ = false, given_up_ = false, making_ = false, quit_ = false;
  Clock::time_point earliest_{};
  DocumentPtr ready_;
  std::thread thread_;
};

}  // namespace rankscope::gui
