// Joins a run, serves the control plane in a thread, and reports outcomes and standstills.
#include "engine/run/worker/rank_session.h"

#include <cstdint>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/run/conductor/deadlock.h"
#include "engine/run/conductor/sockets.h"
#include "engine/run/step/rank_view.h"
#include "transports/factory.h"

namespace rankscope {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kHeartbeat{200};
constexpr milliseconds kEventFlush{50}, kRoomForEvents{2};
// A deadlock should be reported within 100 ms, so the first look at a sleeping rank comes soon, and the second, which
// shows that it has not moved, even sooner.
constexpr milliseconds kFirstLook{30}, kSecondLook{15};
constexpr milliseconds kWelcomeLimit{60'000};
constexpr milliseconds kLeaveTimeout{2'000};

// A conductor may be behind an address that it does not know (a tunnel, all addresses bound), so its other sockets are
// reached at its control socket's host.
std::string reached_by(const std::string& control, const std::string& endpoint) {
  if (!control.starts_with("tcp://") || !endpoint.starts_with("tcp://")) return endpoint;
  return control.substr(0, control.rfind(':')) + endpoint.substr(endpoint.rfind(':'));
}

}  // namespace

RankSession::RankSession(const SessionOptions& options)
    : options_(options),
      lifeline_(options.in_program ? options.lifeline_fd : -1),
      control_(
          make_plane_socket(zmq_, zmq::socket_type::dealer, options.rendezvous, Side::client)) {
  if (options.status_fd >= 0) status_.emplace(options.status_fd);
  if (options.lifeline_fd < 0) watch_.emplace(zmq_, control_);
  control_.connect(options.rendezvous.control);
}

void RankSession::say_hello() {
  send_text(control_, ControlMessage{"hello",
                                     {{"version", kProtocolVersion},
                                      {"secret", options_.rendezvous.secret},
                                      {"rank", options_.rank},
                                      {"world_size", options_.world_size},
                                      {"pid", ::getpid()},
                                      {"host", host_name()},
                                      {"boot", boot_id()}}}
                          .encode());
}

SessionEnd RankSession::refused(const std::string& reason) {
  complaint_ = reason;
  if (!options_.in_program) fmt::print(stderr, "rankscope worker: refused: {}\n", reason);
  return SessionEnd::refused;
}

std::optional<SessionEnd> RankSession::receive_welcome() {
  const auto deadline = Deadline::in(kWelcomeLimit);
  while (!deadline.passed()) {
    const auto ready = poll_sockets({{&control_, -1},
                                     {nullptr, options_.lifeline_fd},
                                     {watch_ ? &watch_->socket() : nullptr, -1}},
                                    deadline);
    while (ready[0]) {
      const auto text = receive_text(control_);
      if (!text) break;
      const auto message = ControlMessage::decode(*text);
      if (!message) continue;
      if (message->type == "refuse") return refused(message->body.value("reason", "?"));
      if (message->type == "quit") return SessionEnd::abandoned;
      if (message->type != "welcome") continue;
      open_link(message->body);
      return std::nullopt;
    }
    if (!conductor_is_gone({ready[1], ready[2]})) continue;
    if (watch_ && watch_->refused())
      return refused(fmt::format("{} does not take this key: it belongs to another run",
                                 options_.rendezvous.control));
    if (!options_.in_program) remove_run_directory_of(options_.rendezvous.control);
    return SessionEnd::abandoned;
  }
  complaint_ =
      fmt::format("no answer from {} within {} s: is `rankscope run --join` running there?",
                  options_.rendezvous.control, kWelcomeLimit.count() / 1000);
  if (!options_.in_program) fmt::print(stderr, "rankscope worker: {}\n", complaint_);
  return SessionEnd::abandoned;
}

// `ready`: the lifeline, and the watch.
bool RankSession::conductor_is_gone(const std::vector<bool>& ready) {
  if (watch_ && ready[1]) watch_->drain();
  return ready[0] || (watch_ && (watch_->gone() || watch_->refused()));
}

// Ends the rank, whose work is of no use any more, and removes what the conductor would have removed.
void RankSession::end_without_conductor() {
  complaint_ = "rankscope, which ran this, is gone";
  if (options_.in_program) return end(SessionEnd::abandoned);
  if (options_.lifeline_fd >= 0) remove_run_directory_of(options_.rendezvous.control);
  else fmt::print(stderr, "rankscope worker: the conductor is gone\n");
  ::_exit(1);
}

void RankSession::open_link(const json& welcome) {
  const Rank rank = welcome.at("rank").get<Rank>();
  LinkConfig config;
  config.transport = welcome.at("transport").get<std::string>();
  config.rank = rank;
  config.world_size = welcome.at("world_size").get<int>();
  config.secret = options_.rendezvous.secret_number();
  config.directory = welcome.value("directory", "");
  config.host = address_towards(options_.rendezvous.control);
  config.keys = options_.rendezvous.keys;
  config.memory_fd = options_.memory_fd;
  link_ = make_link(config);
  if (status_) events_ = std::make_unique<EventPipe>(status_->ring(), options_.lifeline_fd);
  else
    events_ = std::make_unique<EventPipe>(
        zmq_, options_.rendezvous,
        reached_by(options_.rendezvous.control, welcome.at("events").get<std::string>()));
  gate_ = std::make_unique<StepGate>(rank, static_cast<StepGate::Listener*>(this));
  page().pid = static_cast<std::uint32_t>(::getpid());
  context_ = std::make_unique<RankContext>(rank, config.world_size, *link_, events_.get(), &page(),
                                           gate_.get());
  send_text(control_, ControlMessage{"ready", {{"endpoint", link_->endpoint()}}}.encode());
}

std::optional<SessionEnd> RankSession::join() {
  say_hello();
  if (const auto session_end = receive_welcome()) {
    control_.set(zmq::sockopt::linger, 0);
    return session_end;
  }
  control_thread_ = std::thread([this] {
    if (options_.own_thread_begins) options_.own_thread_begins();
    serve_control();
  });
  return std::nullopt;
}

std::optional<RankSession::Job> RankSession::next_job() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ || !jobs_.empty(); });
  if (ended_) return std::nullopt;
  const Job job = std::move(jobs_.front());
  jobs_.pop_front();
  working_ = true;
  return job;
}

void RankSession::report(const Job& job, const RankOutcome& outcome) {
  working_ = false;
  post({"outcome",
        {{"epoch", job.epoch},
         {"outcome", outcome},
         {"usable", link_->usable()},
         {"traffic", json_of(context_->progress().look([] {}).traffic)}}});
}

void RankSession::await_end() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kLeaveTimeout, [&] { return ended_.has_value(); });
}

SessionEnd RankSession::leave() {
  control_thread_.join();
  events_->close(kLeaveTimeout);
  link_->close(Deadline::in(kLeaveTimeout));
  control_.set(zmq::sockopt::linger, static_cast<int>(kLeaveTimeout.count()));
  lifeline_.reset();
  return *ended_;
}

RankSession::~RankSession() {
  if (!control_thread_.joinable()) return;
  end(SessionEnd::abandoned);
  wake_.wake();
  control_thread_.join();
}

void RankSession::post(ControlMessage message) {
  {
    const std::lock_guard lock(mutex_);
    outbox_.push_back(std::move(message));
  }
  wake_.wake();
}

void RankSession::drain_outbox() {
  std::deque<ControlMessage> messages;
  {
    const std::lock_guard lock(mutex_);
    messages.swap(outbox_);
  }
  context_->recorder().flush();  // so that a rank's events arrive before its position
  events_wait_ = events_->push();
  for (const auto& message : messages) send_text(control_, message.encode());
}

void RankSession::end(SessionEnd session_end) {
  {
    const std::lock_guard lock(mutex_);
    ended_ = session_end;
  }
  context_->progress().stop("the run was ended", std::numeric_limits<std::uint32_t>::max());
  gate_->stop();
  changed_.notify_all();
}

void RankSession::serve_control() {
  while (true) {
    const auto ready = poll_sockets({{&control_, -1},
                                     {nullptr, wake_.fd()},
                                     {nullptr, options_.lifeline_fd},
                                     {watch_ ? &watch_->socket() : nullptr, -1}},
                                    Deadline::in(events_wait_  ? kRoomForEvents
                                                 : look_again_ ? kSecondLook
                                                 : working_    ? kFirstLook
                                                               : kEventFlush));
    if (ready[1]) wake_.drain();
    drain_outbox();
    while (ready[0]) {
      const auto text = receive_text(control_);
      if (!text) break;
      if (const auto message = ControlMessage::decode(*text)) on_control(*message);
    }
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
    }
    if (conductor_is_gone({ready[2], ready[3]})) {
      end_without_conductor();
      return;
    }
    if (Clock::now() >= next_heartbeat_) heartbeat();
    look_for_standstill();
  }
}

// Reports a rank that sleeps at two looks and has not moved in between: it may be part of a deadlock. Messages that
// arrive later are reported too, because they may complete the counts.
void RankSession::look_for_standstill() {
  const auto moves = gate_->asleep();
  const bool again = moves && asleep_ == moves;
  look_again_ = moves && !again;
  asleep_ = moves;
  if (again) report_standstill(0);
}

void RankSession::report_standstill(std::uint64_t round) {
  json body = standstill_json(*context_, *gate_);
  const bool asleep = body.at("asleep").get<bool>() &&
                      !(options_.other_thread_may_act && options_.other_thread_may_act());
  body["asleep"] = asleep;
  json key = asleep ? json{body["epoch"], body["moves"], body["traffic"]} : json();
  if (round == 0 && (!asleep || key == reported_)) return;
  reported_ = std::move(key);
  body["round"] = round;
  send_text(control_, ControlMessage{"standstill", std::move(body)}.encode());
}

void RankSession::heartbeat() {
  next_heartbeat_ = Clock::now() + kHeartbeat;
  const RankStatus status = read_status(status_ ? status_->page() : own_status_);
  send_text(control_,
            ControlMessage{
                "heartbeat",
                {{"status", status.describe()}, {"epoch", status.epoch}, {"events", status.events}}}
                .encode());
}

// The conductor is of our version and was authenticated: a message that it should not have sent is a
// bug of ours, and must be reported to the user.
void RankSession::on_control(const ControlMessage& message) try {
  const json& body = message.body;
  if (message.type == "peers") {
    link_->set_peers(body.at("endpoints").get<std::vector<std::string>>());
  } else if (message.type == "job") {
    on_job(body);
  } else if (message.type == "gate") {
    gate_->set(body.get<GateOrders>());
  } else if (message.type == "permit") {
    gate_->permit(body.at("op").get<OpId>());
  } else if (message.type == "stop") {
    context_->progress().stop(body.value("reason", "the run was stopped"),
                              body.at("epoch").get<std::uint32_t>());
    gate_->stop();
  } else if (message.type == "asleep") {
    report_standstill(body.at("round").get<std::uint64_t>());
  } else if (message.type == "ping") {
    send_text(control_, ControlMessage{"pong", {{"t0", body.at("t0")}, {"t", now_ns()}}}.encode());
  } else if (message.type == "quit") {
    end(SessionEnd::quit);
  } else if (message.type == "refuse") {  // after the welcome, if our endpoint is rejected
    end(refused(body.value("reason", "?")));
  }
} catch (const std::exception& e) {
  fmt::print(stderr, "rankscope: cannot handle '{}' of the conductor: {}\n", message.type,
             e.what());
  ::_exit(1);
}

void RankSession::on_job(const json& body) {
  gate_->begin_job();
  gate_->set(body.at("gate").get<GateOrders>());
  Job job{body.at("spec").get<JobSpec>(), body.at("epoch").get<std::uint32_t>()};
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_all();
}

void RankSession::on_places(const StrandPlaces& places, const GateStamp& stamp,
                            std::vector<Receipt> received) noexcept {
  post({"standing", json_of(places, stamp, received, context_->recorder())});
}

namespace {
constexpr const char* kAddress = "inproc://conductor-watch";
// A conductor that is killed while we shake hands looks like one that refuses: it gets more chances.
constexpr int kFailures = 4;
constexpr int kPingMs = 1'000, kSilenceMs = 5'000;
constexpr std::size_t kEventSize = sizeof(std::uint16_t) + sizeof(std::uint32_t);
}  // namespace

ConductorWatch::ConductorWatch(zmq::context_t& context, zmq::socket_t& control) {
  control.set(zmq::sockopt::heartbeat_ivl, kPingMs);  // a host that vanished closes nothing
  control.set(zmq::sockopt::heartbeat_timeout, kSilenceMs);
  const int events = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                     ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                     ZMQ_EVENT_DISCONNECTED;
  if (zmq_socket_monitor(control.handle(), kAddress, events) != 0) throw zmq::error_t();
  events_ = zmq::socket_t(context, zmq::socket_type::pair);
  events_.set(zmq::sockopt::linger, 0);
  events_.connect(kAddress);
}

void ConductorWatch::drain() {
  while (true) {
    const auto parts = receive_waiting(events_);
    if (parts.empty()) return;
    if (parts[0].size() < kEventSize) continue;
    std::uint16_t event = 0;
    std::memcpy(&event, parts[0].data(), sizeof event);
    switch (event) {
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: connected_ = true; break;
      case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
      case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: refused_ = true; break;  // ZeroMQ tries no more
      case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: refused_ |= ++failures_ >= kFailures; break;
      default:  // a server that cannot read our first message hangs up without a word
        gone_ |= connected_;
        refused_ |= !connected_ && ++failures_ >= kFailures;
        break;
    }
  }
}

}  // namespace rankscope
