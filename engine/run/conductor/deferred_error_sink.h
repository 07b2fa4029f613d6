// Keeps a sink that fails to store events from throwing in the ranks of this process.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "engine/core/base/error.h"
#include "engine/run/job/job.h"

namespace rankscope {

/// Passes events on to a sink and keeps its first UserError for finish(). Thread-safe if that sink is.
class DeferredErrorSink : public EventSink {
 public:
  explicit DeferredErrorSink(EventSink& sink) : sink_(sink) {}
  void deliver(EventBatch&& batch) override {
    keep([&] { sink_.deliver(std::move(batch)); });
  }
  void flush() override {
    keep([this] { sink_.flush(); });
  }
  /// Flushes; makes a successful run a failed one if something could not be stored.
  void finish(JobResult& result) {
    flush();
    if (error_.empty() || !result.ok()) return;
    result.status = JobResult::Status::failed;
    result.message = error_;
  }

 private:
  void keep(const std::function<void()>& write) {
    try {
      write();
    } catch (const UserError& e) {
      const std::lock_guard lock(mutex_);
      if (error_.empty()) error_ = e.what();
    }
  }
  EventSink& sink_;
  std::mutex mutex_;
  std::string error_;
};

}  // namespace rankscope
