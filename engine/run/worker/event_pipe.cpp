// Writes a worker's batches of events into its ring, or sends them to the conductor.
#include "engine/run/worker/event_pipe.h"

#include <poll.h>

#include "engine/core/base/deadline.h"
#include "engine/run/conductor/sockets.h"

namespace rankscope {
namespace {
/// Bytes that stay allocated for the next time that the conductor is late.
constexpr std::size_t kKeptBacklog = std::size_t{1} << 20;
}  // namespace

EventPipe::EventPipe(zmq::context_t& zmq, const Rendezvous& rendezvous, const std::string& endpoint)
    : secret_(rendezvous.secret_number()),
      socket_(make_plane_socket(zmq, zmq::socket_type::push, rendezvous, Side::client)) {
  socket_->connect(endpoint);
}

void EventPipe::deliver(EventBatch&& batch) {
  const std::lock_guard lock(mutex_);
  if (!writer_) {
    const Bytes data = encode(batch);
    socket_->send(zmq::buffer(&secret_, sizeof(secret_)), zmq::send_flags::sndmore);
    socket_->send(zmq::buffer(data), zmq::send_flags::none);
    return;
  }
  if (gone_) return;
  push_locked();
  const Bytes head = encode_head(batch);
  const auto events = std::as_bytes(std::span(batch.events));
  const std::uint64_t blobs = batch.blobs.size();
  const std::uint64_t bytes = head.size() + events.size() + sizeof(blobs) + blobs;
  write(std::as_bytes(std::span(&bytes, 1)));
  write(head);
  write(events);
  write(std::as_bytes(std::span(&blobs, 1)));
  write(batch.blobs);
  while (backlog() > kMostBacklog && pause_for_reader()) push_locked();
}

void EventPipe::write(std::span<const std::byte> data) {
  if (backlog() == 0) data = data.subspan(writer_->write(data));
  backlog_.insert(backlog_.end(), data.begin(), data.end());
}

bool EventPipe::push_locked() {
  if (backlog_.empty()) return false;
  pushed_ += writer_->write(std::span(backlog_).subspan(pushed_));
  if (backlog() == 0) {
    if (backlog_.capacity() > kKeptBacklog) backlog_ = {};
    backlog_.clear();
    pushed_ = 0;
  } else if (pushed_ > backlog_.size() / 2) {
    backlog_.erase(backlog_.begin(), backlog_.begin() + static_cast<std::ptrdiff_t>(pushed_));
    pushed_ = 0;
  }
  return !backlog_.empty();
}

bool EventPipe::push() {
  const std::lock_guard lock(mutex_);
  return push_locked();
}

// Waits a millisecond for the conductor to read. Returns false if it is gone; the remaining data is then dropped.
bool EventPipe::pause_for_reader() {
  pollfd there{lifeline_, POLLIN, 0};
  gone_ = ::poll(&there, 1, 1) > 0;
  if (gone_) {
    backlog_ = {};
    pushed_ = 0;
  }
  return !gone_;
}

void EventPipe::close(std::chrono::milliseconds linger) {
  const std::lock_guard lock(mutex_);
  const auto limit = Deadline::in(linger);
  while (push_locked() && !limit.passed() && pause_for_reader()) {
  }
  if (!socket_) return;
  socket_->set(zmq::sockopt::linger, static_cast<int>(linger.count()));
  socket_->close();
}

}  // namespace rankscope
