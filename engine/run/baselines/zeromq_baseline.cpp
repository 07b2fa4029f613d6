// ZeroMQ's own cost of an allreduce, as a baseline of the profiler: no matching, no tags, no events; sockets and
// processors are set as ours. Contract: baseline.h.
//
//   rankscope-baseline-zeromq [--np 8]
//
// One PULL socket a rank, PUSH sockets to the others, over ipc. Up to 8 KiB all send to rank 0, which
// sends the sum to all; beyond, a ring in segments that are lent to ZeroMQ and summed from where they
// arrive. As in Gloo's baseline the process that is started is rank 0 and starts the others.
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <stdexcept>

#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <zmq.h>

#include "engine/run/baselines/family.h"

namespace rankscope::baseline {
namespace {

constexpr std::size_t kSmall = 8192, kSegment = 1 << 20;
constexpr int kSendBuffer = 512 << 10;

// Places ranks as our workers over shared memory are placed, not those over ZeroMQ (keep_to_share in launcher.h). If
// there are fewer processors than ranks, neighbours share one and do not preempt each other.
void keep_to_share(int rank, int ranks) {
  cpu_set_t allowed, mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) >= ranks) return;
  int place = rank * CPU_COUNT(&allowed) / ranks;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed) && place-- == 0) CPU_SET(cpu, &mine);
  sched_setaffinity(0, sizeof mine, &mine);
  const sched_param none{};
  sched_setscheduler(0, SCHED_BATCH, &none);
}

void must(int result) {
  if (result < 0) throw std::runtime_error(zmq_strerror(zmq_errno()));
}

class Part {
 public:
  Part() { zmq_msg_init(&message_); }
  Part(const Part&) = delete;
  ~Part() { zmq_msg_close(&message_); }
  zmq_msg_t* handle() { return &message_; }
  const float* floats() { return static_cast<const float*>(zmq_msg_data(&message_)); }
  std::size_t bytes() { return zmq_msg_size(&message_); }

 private:
  zmq_msg_t message_;
};

// The sockets of one rank. An empty message belongs to a barrier. Others need no sender: either only one rank can send
// what this one waits for, or the order does not matter.
class Node {
 public:
  explicit Node(const Options& options)
      : rank(options.rank),
        ranks(options.ranks),
        context_(zmq_ctx_new()),
        meeting_(options.meeting) {
    pull_ = open(ZMQ_PULL);
    must(zmq_bind(pull_, address(rank).c_str()));
    std::size_t size = sizeof fd_;
    must(zmq_getsockopt(pull_, ZMQ_FD, &fd_, &size));
    push_.resize(static_cast<std::size_t>(ranks));
  }
  Node(const Node&) = delete;
  ~Node() {
    for (void* socket : push_)
      if (socket != nullptr) zmq_close(socket);
    zmq_close(pull_);
    zmq_ctx_term(context_);
  }

  void send(int to, const void* data, std::size_t bytes) {
    must(zmq_send(socket_to(to), data, bytes, ZMQ_DONTWAIT));
  }

  void lend(int to, const float* data, std::size_t count) {
    ++lent_;
    zmq_msg_t message;
    must(zmq_msg_init_data(&message, const_cast<float*>(data), count * sizeof(float), &give_back,
                           this));
    must(zmq_msg_send(&message, socket_to(to), ZMQ_DONTWAIT));
  }

  void receive(Part& part) {
    if (!early_.empty()) {
      zmq_msg_move(part.handle(), early_.front()->handle());
      early_.pop_front();
      return;
    }
    for (receive_any(part); part.bytes() == 0; receive_any(part)) ++of_barriers_;
  }
  void receive_of_barrier() {
    while (of_barriers_ == 0) {
      auto part = std::make_unique<Part>();
      receive_any(*part);
      if (part->bytes() == 0) ++of_barriers_;
      else early_.push_back(std::move(part));
    }
    --of_barriers_;
  }

  bool all_given_back() const { return lent_.load(std::memory_order_acquire) == 0; }

  const int rank, ranks;

 private:
  void receive_any(Part& part) {
    while (zmq_msg_recv(part.handle(), pull_, ZMQ_DONTWAIT) < 0) {
      if (zmq_errno() != EAGAIN && zmq_errno() != EINTR) must(-1);
      pollfd fd{fd_, POLLIN, 0};
      ::poll(&fd, 1, -1);
    }
  }

  static void give_back(void*, void* self) {
    static_cast<Node*>(self)->lent_.fetch_sub(1, std::memory_order_release);
  }
  std::string address(int rank) const { return "ipc://" + meeting_ + "/r" + std::to_string(rank); }

  void* open(int type) {
    void* socket = zmq_socket(context_, type);
    const int none = 0;
    must(zmq_setsockopt(socket, ZMQ_SNDHWM, &none, sizeof none));
    must(zmq_setsockopt(socket, ZMQ_RCVHWM, &none, sizeof none));
    must(zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none));
    return socket;
  }

  void* socket_to(int peer) {
    void*& socket = push_[static_cast<std::size_t>(peer)];
    if (socket != nullptr) return socket;
    socket = open(ZMQ_PUSH);
    const std::string name = "inproc://monitor-" + std::to_string(peer);
    must(zmq_socket_monitor(socket, name.c_str(), ZMQ_EVENT_CONNECTED));
    void* events = open(ZMQ_PAIR);
    must(zmq_connect(events, name.c_str()));
    must(zmq_connect(socket, address(peer).c_str()));
    Part part;
    must(zmq_msg_recv(part.handle(), events, 0));
    std::uint32_t fd = 0;  // after 16 bits that name the event
    std::memcpy(&fd, static_cast<const char*>(zmq_msg_data(part.handle())) + 2, sizeof fd);
    setsockopt(static_cast<int>(fd), SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
    zmq_socket_monitor(socket, nullptr, 0);
    zmq_close(events);
    return socket;
  }

  void* context_;
  std::string meeting_;
  void* pull_ = nullptr;
  int fd_ = -1;
  std::vector<void*> push_;
  std::atomic<int> lent_{0};
  int of_barriers_ = 0;
  std::deque<std::unique_ptr<Part>> early_;  // came before a barrier was over
};

void add(float* into, Part& from) {
  const float* other = from.floats();
  for (std::size_t i = 0, n = from.bytes() / sizeof(float); i < n; ++i) into[i] += other[i];
}

// Rank 0 answers once it has heard from all.
void barrier(Node& node) {
  if (node.rank != 0) {
    node.send(0, nullptr, 0);
    return node.receive_of_barrier();
  }
  for (int i = 1; i < node.ranks; ++i) node.receive_of_barrier();
  for (int i = node.ranks - 1; i > 0; --i) node.send(i, nullptr, 0);
}

void allreduce_at_root(Node& node, std::vector<float>& data) {
  const std::size_t bytes = data.size() * sizeof(float);
  Part part;
  if (node.rank != 0) {
    node.send(0, data.data(), bytes);
    node.receive(part);
    std::memcpy(data.data(), part.floats(), bytes);
    return;
  }
  for (int i = 1; i < node.ranks; ++i) {
    node.receive(part);
    add(data.data(), part);
  }
  for (int i = node.ranks - 1; i > 0; --i) node.send(i, data.data(), bytes);
}

void allreduce_in_a_ring(Node& node, std::vector<float>& data) {
  const auto n = static_cast<std::size_t>(node.ranks), me = static_cast<std::size_t>(node.rank);
  const auto cut = [&](std::size_t i) { return data.size() * i / n; };
  const std::size_t longest = (data.size() + n - 1) / n * sizeof(float);
  const std::size_t parts = (longest + kSegment - 1) / kSegment;
  const auto each = [&](std::size_t step, std::size_t k, const auto& use) {
    const std::size_t chunk = (me + 2 * n - step) % n, begin = cut(chunk),
                      size = cut(chunk + 1) - begin;
    const std::size_t from = size * k / parts, to = size * (k + 1) / parts;
    use(data.data() + begin + from, to - from);
  };
  const auto send = [&](float* at, std::size_t count) {
    node.lend(static_cast<int>((me + 1) % n), at, count);
  };
  for (std::size_t k = 0; k < parts; ++k) each(0, k, send);
  for (std::size_t step = 1; step < 2 * n - 1; ++step)
    for (std::size_t k = 0; k < parts; ++k) {
      Part part;
      node.receive(part);
      each(step, k, [&](float* at, std::size_t count) {
        if (step < n) add(at, part);
        else std::memcpy(at, part.floats(), count * sizeof(float));
        if (step + 1 < 2 * n - 1) send(at, count);
      });
    }
  while (!node.all_given_back()) std::this_thread::sleep_for(std::chrono::microseconds(20));
}

void reduce_max(Node& node, std::vector<double>& values) {
  if (node.rank != 0) return node.send(0, values.data(), values.size() * sizeof(double));
  for (int i = 1; i < node.ranks; ++i) {
    Part part;
    node.receive(part);
    const auto* other = reinterpret_cast<const double*>(part.floats());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = std::max(values[k], other[k]);
  }
}

// Every rank calls it; rank 0 answers.
void measure(Node& node, const Batch& batch) {
  Data data(batch, node.rank, node.ranks);
  std::vector<double> times = timed(
      batch, data, [&] { barrier(node); },
      [&] {
        if (batch.bytes <= kSmall) allreduce_at_root(node, data.out);
        else allreduce_in_a_ring(node, data.out);
      });
  times.push_back(data.is_right() ? 0 : 1);
  barrier(node);  // else times could arrive among a ring's messages
  reduce_max(node, times);
  if (node.rank != 0) return;
  const bool right = times.back() == 0;
  times.pop_back();
  if (right) answer(batch, times);
  else answer_error("the ring over ZeroMQ gave wrong values");
}

std::string refusal(Collective collective) {
  return collective == Collective::kAllreduce ? "" : "the baseline on ZeroMQ has only an allreduce";
}

}  // namespace
}  // namespace rankscope::baseline

int main(int argc, char** argv) {
  using namespace rankscope::baseline;
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // as our workers: buffers of messages are kept
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 16 << 20);
  return run_ranks(
      "rankscope-baseline-zeromq", argc, argv, {}, [](const Options& options, Family* family) {
        // Rank 0 has started the others before, because they would inherit this.
        keep_to_share(options.rank, options.ranks);
        Node node(options);
        serve(options.ranks, family, refusal, [&](const Batch& batch) { measure(node, batch); });
      });
}
