// Runs SPMD code on all ranks as threads.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"
#include "transports/inproc/inproc_link.h"

namespace rankscope {

/// A sink that stores its events, for tests and in-process runs. Thread-safe.
class CollectingSink : public EventSink {
 public:
  void deliver(EventBatch&& batch) override;
  std::vector<EventBatch> take();

 private:
  std::mutex mutex_;
  std::vector<EventBatch> batches_;
};

/// Runs `body` on every rank of a world, each in its own thread, as one job. If a rank throws, the others are stopped,
/// and the first exception (of a rank that did not merely follow) is rethrown.
void run_on_threads(std::span<const std::unique_ptr<RankContext>> ranks, std::uint32_t epoch,
                    const std::function<void(Communicator&)>& body, const RankSettings& settings);

class InprocWorld {
 public:
  explicit InprocWorld(int world_size, EventSink* sink = nullptr);
  ~InprocWorld();

  /// See run_on_threads().
  void run(const std::function<void(Communicator&)>& body, const RankSettings& settings = {});
  int world_size() const noexcept { return hub_.world_size(); }
  RankContext& context(Rank rank) { return *contexts_.at(static_cast<std::size_t>(rank)); }

 private:
  InprocHub hub_;
  std::vector<std::unique_ptr<InprocLink>> links_;
  std::vector<std::unique_ptr<RankContext>> contexts_;
  std::uint32_t epoch_ = 0;
};

}  // namespace rankscope
