// Ranks as threads, each with a ZeroMQ context of its own, as processes would have.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/message/communicator.h"
#include "engine/core/message/network_link.h"
#include "engine/core/message/rank_context.h"
#include "tests/support/process.h"

namespace rankscope::test {

inline constexpr std::uint64_t kSecret = 0x1234'5678'9abc'def0;

/// "ipc", "tcp" or "tcp+curve".
LinkConfig link_config(const std::string& kind, Rank rank, int world_size,
                       const TemporaryFolder& dir);

class ZeromqWorld {
 public:
  ZeromqWorld(const std::string& kind, int world_size,
              const std::function<void(LinkConfig&)>& adjust = {});
  ~ZeromqWorld();

  /// As InprocWorld::run.
  void run(const std::function<void(Communicator&)>& body, const RankSettings& settings = {});
  NetworkLink& link(Rank rank) { return *links_.at(static_cast<std::size_t>(rank)); }
  int world_size() const noexcept { return static_cast<int>(links_.size()); }

 private:
  TemporaryFolder dir_;
  std::vector<std::unique_ptr<NetworkLink>> links_;
  std::vector<std::unique_ptr<RankContext>> contexts_;
  std::uint32_t epoch_ = 0;
};

}  // namespace rankscope::test
