#include "transports/zeromq/curve_gate.h"

#include <array>

#include "engine/core/error.h"
#include "transports/zeromq/zmq_util.h"

namespace rankscope {
namespace {
constexpr std::size_t kKeySize = 32, kKeyText = 40;
constexpr std::size_t kMostAddresses = 64;
constexpr std::size_t kRequestParts = 7;  // version, id, domain, address, identity, mechanism, key
}  // namespace

CurveGate::CurveGate(zmq::context_t& context, const std::string& public_key, OnRefused on_refused)
    : on_refused_(std::move(on_refused)), accepted_(kKeySize, '\0') {
  if (public_key.size() != kKeyText ||
      zmq_z85_decode(reinterpret_cast<std::uint8_t*>(accepted_.data()), public_key.c_str()) ==
          nullptr)
    throw UserError("a CURVE key is text of 40 characters (Z85)");
  requests_ = make_zmq_socket(context, zmq::socket_type::rep);
  requests_.bind("inproc://zeromq.zap.01");
  thread_ = std::thread([this] { serve(); });
}

void CurveGate::stop() noexcept {
  if (!thread_.joinable()) return;
  stop_fd_.wake();
  thread_.join();
  requests_.close();
}

void CurveGate::serve() {
  std::array<zmq_pollitem_t, 2> items{
      {{requests_.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, stop_fd_.fd(), ZMQ_POLLIN, 0}}};
  while (true) {
    if (zmq_poll(items.data(), static_cast<int>(items.size()), -1) < 0) {
      if (errno == EINTR) continue;
      return;  // the context ends
    }
    if (items[1].revents != 0) return;
    try {
      answer();
    } catch (const zmq::error_t&) {
      return;  // the context ends
    }
  }
}

void CurveGate::answer() {
  std::vector<zmq::message_t> request;
  if (!receive_parts(requests_, request, zmq::recv_flags::dontwait)) return;
  if (request.size() < 2) return;
  const bool known = request.size() == kRequestParts && request[5].to_string_view() == "CURVE" &&
                     request[6].to_string_view() == accepted_;
  if (!known) refuse(request.size() > 3 ? request[3].to_string() : "an unknown address");
  const std::string_view status = known ? "200" : "400";
  const std::string_view text = known ? "OK" : "not a member of this run";
  requests_.send(zmq::buffer(std::string_view("1.0")), zmq::send_flags::sndmore);
  requests_.send(request[1], zmq::send_flags::sndmore);
  requests_.send(zmq::buffer(status), zmq::send_flags::sndmore);
  requests_.send(zmq::buffer(text), zmq::send_flags::sndmore);
  requests_.send(zmq::message_t(), zmq::send_flags::sndmore);
  requests_.send(zmq::message_t(), zmq::send_flags::none);
}

void CurveGate::refuse(const std::string& address) {
  {
    const std::lock_guard lock(mutex_);
    ++refused_;
    if (addresses_.size() < kMostAddresses) addresses_.push_back(address);
  }
  if (on_refused_) on_refused_(address);
}

std::uint64_t CurveGate::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

std::vector<std::string> CurveGate::refused_peers() const {
  const std::lock_guard lock(mutex_);
  return addresses_;
}

}  // namespace rankscope
