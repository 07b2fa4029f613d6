// A job on threads whose ranks move one at a time, in a chosen order: each verb waits at its gate, each message on its
// link. When every living rank stands still (held, asleep in a verb, or ended), one move is made, and everything that
// follows from it is waited for. So the same choices give the same run, however busy the machine is.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/core/base/deadline.h"
#include "engine/core/message/link.h"
#include "engine/run/step/run_order.h"
#include "engine/run/step/step_gate.h"
#include "transports/inproc/inproc_link.h"

namespace rankscope {

class RankContext;

class SerialRun {
 public:
  SerialRun(int world_size, InprocHub& hub, RunOrder& order);
  ~SerialRun();
  SerialRun(const SerialRun&) = delete;
  SerialRun& operator=(const SerialRun&) = delete;

  /// Return the link and the gate's listener with which to make the rank's context.
  std::unique_ptr<Link> link(Rank rank);
  StepGate::Listener* listener(Rank rank);
  /// To be called once for each rank, before start().
  void take(Rank rank, RankContext& context, StepGate& gate);
  void start();
  void ended(Rank rank);
  /// Ends the moves after the one being made; waiting messages are never delivered. The caller stops the gates.
  void stop();

 private:
  class OrderedLink;
  class GateListener;
  struct Waiting {
    FrameHeader header;
    Message payload;
    std::uint64_t since = 0;
    std::uint32_t number = 0;
  };
  /// The messages from one rank to another that are not delivered yet.
  struct Channel {
    std::deque<Waiting> messages, control;
    std::uint32_t sent = 0, asked = 0;  ///< Messages; calls of RunOrder::waits().
  };
  struct SerialRank {
    RankContext* context = nullptr;
    StepGate* gate = nullptr;
    std::unique_ptr<InprocLink> link;
    std::unique_ptr<StepGate::Listener> gate_listener;
    std::uint64_t delivered = 0, taken = 0;
    bool polls = false;  ///< One of its threads sleeps in poll().
    bool ended = false, absent = false;
    bool began = false;  ///< Has stood still once; until then it is loading its libraries.
    std::optional<Clock::time_point> moves_since;
    std::map<std::uint16_t, std::uint32_t> verbs, looks;  ///< By strand: how many were let through.
  };

  void sent(Rank from, const FrameHeader& header, std::span<const std::byte> payload);
  std::optional<Frame> poll(Rank rank, InprocLink& link, Deadline deadline);
  bool waits(Rank from, Rank to);
  void notify_change();
  void work();
  bool all_still();
  bool still(SerialRank& serial_rank, StrandPlaces& places) const;
  bool deliver_control();
  void deliver(Rank from, Rank to, std::deque<Waiting>& queue);
  std::vector<NextMove> moves();
  void make(const NextMove& move);
  SerialRank& serial_rank(Rank rank) { return serial_ranks_[static_cast<std::size_t>(rank)]; }

  InprocHub& hub_;
  RunOrder& order_;
  std::vector<SerialRank> serial_ranks_;
  std::map<std::pair<Rank, Rank>, Channel> channels_;
  std::vector<StrandPlaces> places_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t changes_ = 0, sends_ = 0;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace rankscope
