// Ranks as threads of one process: frames through queues in memory. For tests and quick studies.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/core/message/link.h"

namespace rankscope {

/// The mailboxes of all ranks of one world.
class InprocHub {
 public:
  explicit InprocHub(int world_size);
  int world_size() const noexcept { return static_cast<int>(boxes_.size()); }

 private:
  friend class InprocLink;
  struct Mailbox {
    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<Frame> frames;
    bool woken = false;
  };
  std::vector<std::unique_ptr<Mailbox>> boxes_;
};

class InprocLink : public Link {
 public:
  InprocLink(Rank rank, InprocHub& hub) : rank_(rank), hub_(hub) {}

  void send(const FrameHeader& header, std::span<const std::byte> payload, Loan* loan) override;
  std::optional<Frame> poll(Deadline deadline) override;
  void wake() noexcept override;
  void abandon() noexcept override {}
  std::size_t lend_from() const noexcept override;
  LinkCounters counters() const override { return counters_; }

 private:
  const Rank rank_;
  InprocHub& hub_;
  LinkCounters counters_;
};

}  // namespace rankscope
