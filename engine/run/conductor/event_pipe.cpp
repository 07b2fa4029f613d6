// Sends a worker's batches of events to the conductor.
#include "engine/run/conductor/event_pipe.h"

#include "engine/run/conductor/sockets.h"

namespace rankscope {

EventPipe::EventPipe(zmq::context_t& zmq, const Rendezvous& rendezvous, const std::string& endpoint)
    : secret_(rendezvous.secret_number()),
      socket_(make_plane_socket(zmq, zmq::socket_type::push, rendezvous, Side::client)) {
  socket_.connect(endpoint);
}

void EventPipe::deliver(EventBatch&& batch) {
  const Bytes data = encode(batch);
  const std::lock_guard lock(mutex_);
  socket_.send(zmq::buffer(&secret_, sizeof(secret_)), zmq::send_flags::sndmore);
  socket_.send(zmq::buffer(data), zmq::send_flags::none);
}

void EventPipe::close(std::chrono::milliseconds linger) {
  const std::lock_guard lock(mutex_);
  socket_.set(zmq::sockopt::linger, static_cast<int>(linger.count()));
  socket_.close();
}

}  // namespace rankscope
