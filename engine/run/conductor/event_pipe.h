// A worker's end of the event plane.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include <zmq.hpp>

#include "engine/core/trace/event.h"
#include "engine/run/conductor/control.h"

namespace rankscope {

/// Sends batches to the conductor. Any thread of the rank may deliver.
class EventPipe : public EventSink {
 public:
  EventPipe(zmq::context_t& zmq, const Rendezvous& rendezvous, const std::string& endpoint);
  void deliver(EventBatch&& batch) override;
  void close(std::chrono::milliseconds linger);

 private:
  std::mutex mutex_;
  const std::uint64_t secret_;
  zmq::socket_t socket_;
};

}  // namespace rankscope
