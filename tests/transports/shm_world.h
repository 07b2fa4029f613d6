// Ranks as threads, each with a link of its own in the same shared memory, which is mapped once, so that the thread
// sanitizer knows it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"
#include "transports/shm/shm_link.h"

namespace rankscope::test {

class ShmWorld {
 public:
  explicit ShmWorld(int world_size);
  ~ShmWorld();

  /// As InprocWorld::run.
  void run(const std::function<void(Communicator&)>& body, const RankSettings& settings = {});
  ShmLink& link(Rank rank) { return *links_.at(static_cast<std::size_t>(rank)); }
  shm::Memory& memory() { return *memory_; }

 private:
  std::shared_ptr<shm::Memory> memory_;
  std::vector<std::unique_ptr<ShmLink>> links_;
  std::vector<std::unique_ptr<RankContext>> contexts_;
  std::uint32_t epoch_ = 0;
};

}  // namespace rankscope::test
