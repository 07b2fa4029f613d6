#include "engine/run/worker.h"

#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/error.h"
#include "engine/run/job_json.h"
#include "engine/run/launcher.h"
#include "engine/run/sockets.h"
#include "transports/factory.h"
#include "transports/zeromq/wake_fd.h"
#include "transports/zeromq/zmq_util.h"

namespace rankscope {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kHeartbeat{200};
constexpr milliseconds kEventFlush{50};
constexpr milliseconds kWelcomeLimit{60'000};
constexpr milliseconds kGoodbye{2'000};

enum ExitCode { kQuit = 0, kAbandoned = 1, kRefused = 2 };

/// Sends batches on the event plane. Any thread of the rank may deliver.
class EventPipe : public EventSink {
 public:
  EventPipe(zmq::context_t& zmq, const Rendezvous& rendezvous, const std::string& endpoint)
      : secret_(rendezvous.secret_number()),
        socket_(make_plane_socket(zmq, zmq::socket_type::push, rendezvous, Side::client)) {
    socket_.connect(endpoint);
  }
  void deliver(EventBatch&& batch) override {
    const Bytes data = encode(batch);
    const std::lock_guard lock(mutex_);
    socket_.send(zmq::buffer(&secret_, sizeof(secret_)), zmq::send_flags::sndmore);
    socket_.send(zmq::buffer(data), zmq::send_flags::none);
  }
  void close(milliseconds linger) {
    const std::lock_guard lock(mutex_);
    socket_.set(zmq::sockopt::linger, static_cast<int>(linger.count()));
    socket_.close();
  }

 private:
  std::mutex mutex_;
  std::uint64_t secret_;
  zmq::socket_t socket_;
};

// What the conductor would have removed: this rank's socket and, by the last rank, the directory.
void remove_sockets(const std::string& endpoint) noexcept {
  constexpr std::string_view kIpc = "ipc://";
  if (!endpoint.starts_with(kIpc)) return;
  std::error_code ignored;
  const std::filesystem::path socket = endpoint.substr(kIpc.size());
  std::filesystem::remove(socket, ignored);
  for (const char* plane : {"control", "events"})
    std::filesystem::remove(socket.parent_path() / plane, ignored);
  std::filesystem::remove(socket.parent_path(), ignored);  // fails while others have sockets there
}

struct QueuedJob {
  JobSpec spec;
  std::uint32_t epoch = 0;
};

class Worker : public StepGate::Listener {
 public:
  explicit Worker(const WorkerOptions& options);
  int run();

 private:
  void say_hello();
  std::optional<int> receive_welcome();
  void open_link(const json& welcome);
  void serve_control();
  void on_control(const ControlMessage& message);
  void heartbeat();
  void drain_outbox();
  void post(ControlMessage message);
  void run_jobs();
  void leave(int code);
  void on_held(const GatePoint& point, bool hit) override;
  void on_blocked(const Operation& op) noexcept override;

  const WorkerOptions options_;
  zmq::context_t zmq_{1};
  zmq::socket_t control_;
  WakeFd wake_;
  std::optional<SharedStatusPage> status_;
  StatusPage own_status_;  ///< Of a worker without a conductor on this machine.
  std::unique_ptr<EventPipe> events_;
  std::unique_ptr<NetworkLink> link_;
  std::unique_ptr<StepGate> gate_;
  std::unique_ptr<RankContext> context_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<QueuedJob> jobs_;
  std::deque<ControlMessage> outbox_;
  std::optional<int> leaving_;  ///< Exit code, once the worker is to end.
  Clock::time_point next_heartbeat_ = Clock::now();
};

Worker::Worker(const WorkerOptions& options)
    : options_(options),
      control_(
          make_plane_socket(zmq_, zmq::socket_type::dealer, options.rendezvous, Side::client)) {
  if (options.status_fd >= 0) status_.emplace(options.status_fd);
  control_.connect(options.rendezvous.control);
}

void Worker::say_hello() {
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

// An exit code when the worker is not wanted.
std::optional<int> Worker::receive_welcome() {
  const auto deadline = Deadline::in(kWelcomeLimit);
  while (!deadline.passed()) {
    const auto ready = poll_sockets({{&control_, -1}, {nullptr, options_.lifeline_fd}}, deadline);
    if (ready[1]) return kAbandoned;
    if (!ready[0]) continue;
    const auto text = receive_text(control_);
    const auto message = text ? ControlMessage::decode(*text) : std::nullopt;
    if (!message) continue;
    if (message->type == "refuse") {
      fmt::print(stderr, "rankscope worker: refused: {}\n", message->body.value("reason", "?"));
      return kRefused;
    }
    if (message->type == "quit") return kAbandoned;
    if (message->type != "welcome") continue;
    open_link(message->body);
    return std::nullopt;
  }
  fmt::print(stderr,
             "rankscope worker: no answer from {} within {} s: is `rankscope run --join` running "
             "there, and is the key the one that it wrote?\n",
             options_.rendezvous.control, kWelcomeLimit.count() / 1000);
  return kAbandoned;
}

void Worker::open_link(const json& welcome) {
  const Rank rank = welcome.at("rank").get<Rank>();
  LinkConfig config;
  config.transport = welcome.at("transport").get<std::string>();
  config.rank = rank;
  config.world_size = welcome.at("world_size").get<int>();
  config.secret = options_.rendezvous.secret_number();
  config.directory = welcome.value("directory", "");
  config.host = address_towards(options_.rendezvous.control);
  config.keys = options_.rendezvous.keys;
  link_ = make_link(config);
  events_ = std::make_unique<EventPipe>(zmq_, options_.rendezvous,
                                        welcome.at("events").get<std::string>());
  gate_ = std::make_unique<StepGate>(rank, this);
  StatusPage& page = status_ ? status_->page() : own_status_;
  page.pid = static_cast<std::uint32_t>(::getpid());
  context_ = std::make_unique<RankContext>(rank, config.world_size, *link_, events_.get(), &page,
                                           gate_.get());
  send_text(control_, ControlMessage{"ready", {{"endpoint", link_->endpoint()}}}.encode());
}

int Worker::run() {
  say_hello();
  if (const auto refused = receive_welcome()) {
    control_.set(zmq::sockopt::linger, 0);
    return *refused;
  }
  std::thread control([this] { serve_control(); });
  run_jobs();
  control.join();
  events_->close(kGoodbye);
  link_->close(Deadline::in(kGoodbye));
  control_.set(zmq::sockopt::linger, static_cast<int>(kGoodbye.count()));
  return *leaving_;
}

void Worker::run_jobs() {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return leaving_ || !jobs_.empty(); });
    if (leaving_) return;
    const QueuedJob job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    const RankOutcome outcome = execute(*context_, job.spec, job.epoch);
    post({"outcome", {{"epoch", job.epoch}, {"outcome", json_of(outcome)}}});
  }
}

void Worker::post(ControlMessage message) {
  {
    const std::lock_guard lock(mutex_);
    outbox_.push_back(std::move(message));
  }
  wake_.wake();
}

void Worker::drain_outbox() {
  std::deque<ControlMessage> messages;
  {
    const std::lock_guard lock(mutex_);
    messages.swap(outbox_);
  }
  for (const auto& message : messages) send_text(control_, message.encode());
}

void Worker::leave(int code) {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = code;
  }
  context_->progress().stop("the run was ended", std::numeric_limits<std::uint32_t>::max());
  context_->progress().stop("the run was ended");
  gate_->stop();
  changed_.notify_all();
}

void Worker::serve_control() {
  while (true) {
    const auto deadline = Deadline::in(kEventFlush);
    const auto ready = poll_sockets(
        {{&control_, -1}, {nullptr, wake_.fd()}, {nullptr, options_.lifeline_fd}}, deadline);
    if (ready[2]) {
      // The conductor is gone: nobody can use what we do. What it would have removed goes with us.
      remove_sockets(link_->endpoint());
      ::_exit(kAbandoned);
    }
    if (ready[1]) wake_.drain();
    drain_outbox();
    while (ready[0]) {
      const auto text = receive_text(control_);
      if (!text) break;
      if (const auto message = ControlMessage::decode(*text)) on_control(*message);
    }
    context_->recorder().flush();
    if (Clock::now() >= next_heartbeat_) heartbeat();
    const std::lock_guard lock(mutex_);
    if (leaving_) return;
  }
}

void Worker::heartbeat() {
  next_heartbeat_ = Clock::now() + kHeartbeat;
  const RankStatus status = read_status(status_ ? status_->page() : own_status_);
  send_text(control_,
            ControlMessage{"heartbeat", {{"status", status.describe()}, {"events", status.events}}}
                .encode());
}

void Worker::on_control(const ControlMessage& message) {
  const json& body = message.body;
  if (message.type == "peers") {
    link_->set_peers(body.at("endpoints").get<std::vector<std::string>>());
  } else if (message.type == "job") {
    gate_->begin_job();
    gate_->set(gate_orders_of(body.at("gate")));
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back({job_spec_of(body.at("spec")), body.at("epoch").get<std::uint32_t>()});
    }
    changed_.notify_all();
  } else if (message.type == "gate") {
    gate_->set(gate_orders_of(body));
  } else if (message.type == "permit") {
    gate_->permit(body.value("count", 1));
  } else if (message.type == "stop") {
    context_->progress().stop(body.value("reason", "the run was stopped"),
                              body.at("epoch").get<std::uint32_t>());
    gate_->stop();
  } else if (message.type == "ping") {
    send_text(control_, ControlMessage{"pong", {{"t0", body.at("t0")}, {"t", now_ns()}}}.encode());
  } else if (message.type == "quit") {
    leave(kQuit);
  }
}

void Worker::on_held(const GatePoint& point, bool hit) {
  context_->recorder().flush();
  json completed = context_->take_completed_causes();
  post({"held",
        {{"verb", to_string(point.verb)},
         {"peer", point.peer},
         {"tag", point.tag},
         {"bytes", point.bytes},
         {"file", short_file(point.call.file)},
         {"line", point.call.line},
         {"function", short_function(point.call.function)},
         {"phase", point.phase_name},
         {"op", point.op},
         {"hit", hit},
         {"completed", std::move(completed)}}});
}

void Worker::on_blocked(const Operation& op) noexcept {
  post({"blocked",
        {{"op", op.id},
         {"verb", to_string(op.where.verb)},
         {"peer", op.peer},
         {"tag", op.tag},
         {"completed", context_->take_completed_causes()}}});
}

std::optional<int> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  const std::string_view view(text);
  int number = 0;
  const auto [stop, error] = std::from_chars(view.data(), view.data() + view.size(), number);
  if (error != std::errc() || stop != view.data() + view.size() || number < 0)
    throw UserError(
        fmt::format("{} should be a rank or a number of ranks, not '{}'", variable, text));
  return number;
}

}  // namespace

RankAndSize rank_from_environment() {
  static constexpr std::pair<const char*, const char*> kPairs[] = {
      {"RANK", "WORLD_SIZE"},
      {"SLURM_PROCID", "SLURM_NTASKS"},
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMIX_RANK", "PMIX_SIZE"},
      {"PMI_RANK", "PMI_SIZE"}};
  for (const auto& [rank, size] : kPairs)
    if (const auto number = number_in(rank)) return {*number, number_in(size).value_or(-1)};
  return {};
}

int run_worker(const WorkerOptions& options) {
  tune_allocator();
  if (options.processor >= 0) keep_to_processor(options.processor);
  return Worker(options).run();
}

}  // namespace rankscope
