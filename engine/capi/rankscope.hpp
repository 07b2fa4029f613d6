// rankscope for programs in C++: a communicator with send and receive, on librankscope.
//
//   #include <rankscope.hpp>
//   void my_allreduce(rankscope::Communicator& comm, std::span<float> data);
//   int main() {
//     auto comm = rankscope::join();
//     std::vector<float> data(8, float(comm.rank()));
//     my_allreduce(comm, data);
//   }
//
// `rankscope exec -n 4 program.cpp` compiles and runs it. C++20. Errors are rankscope::Error; their text says what to do.
#ifndef RANKSCOPE_HPP
#define RANKSCOPE_HPP

#include <cerrno>
#include <cstdlib>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <rankscope.h>  // beside this file, wherever both are installed

namespace rankscope {

class Error : public std::runtime_error {
 public:
  Error(int code, const std::string& what) : std::runtime_error(what), code_(code) {}
  int code() const noexcept { return code_; }  ///< RS_USAGE, RS_COMM, RS_STOPPED, RS_NO_RUN

 private:
  int code_;
};

enum class Op { sum = RS_SUM, product, min, max, avg, band, bor, bxor };
inline constexpr int any = RS_ANY;

/// A contiguous array with its extents; the last dimension's elements lie side by side.
template <class T>
class Tensor {
 public:
  Tensor(std::span<T> data, std::vector<std::int64_t> shape)
      : data_(data), shape_(std::move(shape)) {}
  /// All elements, as they lie in memory.
  std::span<T> data() const noexcept { return data_; }
  T& operator[](std::size_t at) const { return data_[at]; }
  std::size_t size() const noexcept { return data_.size(); }
  int dims() const noexcept { return static_cast<int>(shape_.size()); }
  const std::vector<std::int64_t>& shape() const noexcept { return shape_; }
  /// The size of one dimension; -1 is the last one.
  std::int64_t extent(int dim) const {
    return shape_.at(static_cast<std::size_t>(dim < 0 ? dim + dims() : dim));
  }

 private:
  std::span<T> data_;
  std::vector<std::int64_t> shape_;
};

/// A receive's result.
struct Received {
  int source = -1;
  int tag = 0;
  std::uint64_t bytes = 0;
};

namespace detail {

inline int check(int code) {
  if (code < 0) throw Error(code, rs_error());
  return code;
}

template <class T>
constexpr std::int32_t dtype() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, float>) return RS_FLOAT32;
  else if constexpr (std::is_same_v<U, double>) return RS_FLOAT64;
  else if constexpr (std::is_integral_v<U> && sizeof(U) == 4) return RS_INT32;
  else if constexpr (std::is_integral_v<U> && sizeof(U) == 8) return RS_INT64;
  else {
    static_assert(sizeof(U) == 1 && std::is_trivially_copyable_v<U>,
                  "elements are float, double, or integers of 1, 4 or 8 bytes");
    return RS_UINT8;
  }
}

template <class T>
rs_memory memory(std::span<T> data) {
  rs_memory out{};
  out.data = const_cast<std::remove_cv_t<T>*>(data.data());
  out.count = data.size();
  out.dtype = dtype<T>();
  return out;
}

struct Where : rs_stack {
  explicit Where(const std::source_location& at) : rs_stack{} {
    depth = 1;
    place[0] = {at.file_name(), at.function_name(), at.line()};
  }
};

}  // namespace detail

using Site = std::source_location;

/// A send or receive under way. Wait for it before its memory is used again.
class Request {
 public:
  Request() = default;
  Request(Request&& other) noexcept : request_(std::exchange(other.request_, nullptr)) {}
  Request& operator=(Request&& other) noexcept {
    if (this != &other) {
      rs_drop(&request_);
      request_ = std::exchange(other.request_, nullptr);
    }
    return *this;
  }
  ~Request() { rs_drop(&request_); }
  Received wait(Site at = Site::current()) {
    rs_status status{};
    const detail::Where where(at);
    detail::check(rs_wait(&request_, -1, &status, &where));
    return {status.source, status.tag, status.bytes};
  }
  /// Returns whether wait() would not block.
  bool test() {
    int done = 1;
    if (request_ != nullptr) detail::check(rs_test(request_, &done));
    return done != 0;
  }

 private:
  friend class Communicator;
  rs_request* request_ = nullptr;
};

class Communicator {
 public:
  Communicator(Communicator&& other) noexcept
      : session_(std::exchange(other.session_, nullptr)),
        comm_(std::exchange(other.comm_, nullptr)) {}
  Communicator& operator=(Communicator&&) = delete;
  ~Communicator() {
    if (session_ != nullptr) rs_leave(session_, std::uncaught_exceptions() == 0 ? 1 : 0, nullptr);
    else if (comm_ != nullptr) rs_free_comm(comm_);
  }

  int rank() const { return rs_rank(comm_); }
  int size() const { return rs_size(comm_); }

  template <class T>
  void send(int to, std::span<T> data, int tag = 0, Site at = Site::current()) {
    start(to, data, tag, RS_BLOCKING, at, &rs_isend).wait(at);
  }
  template <class T>
  Received recv(int from, std::span<T> into, int tag = 0, Site at = Site::current()) {
    return start(from, into, tag, RS_BLOCKING, at, &rs_irecv).wait(at);
  }
  template <class T>
  [[nodiscard]] Request isend(int to, std::span<T> data, int tag = 0, Site at = Site::current()) {
    return start(to, data, tag, 0, at, &rs_isend);
  }
  template <class T>
  [[nodiscard]] Request irecv(int from, std::span<T> into, int tag = 0, Site at = Site::current()) {
    return start(from, into, tag, 0, at, &rs_irecv);
  }
  /// Sends and receives at once, so the same call on the peers cannot deadlock.
  template <class T, class U>
  Received sendrecv(int to, std::span<T> data, int from, std::span<U> into, int tag = 0,
                    Site at = Site::current()) {
    Request sent = isend(to, data, tag, at);
    const Received received = recv(from, into, tag, at);
    sent.wait(at);
    return received;
  }

  // Built-in collectives: shown as such, and not accepted as an answer to an exercise.
  void barrier(Site at = Site::current()) {
    collective("barrier", std::span<float>(), std::span<float>(), Op::sum, 0, at);
  }
  template <class T>
  void allreduce(std::span<T> data, Op op = Op::sum, Site at = Site::current()) {
    collective("allreduce", data, data, op, 0, at);
  }
  template <class T>
  void broadcast(std::span<T> data, int root, Site at = Site::current()) {
    collective("broadcast", data, data, Op::sum, root, at);
  }
  /// The result is at the root; the other ranks' data is scratch memory.
  template <class T>
  void reduce(std::span<T> data, int root, Op op = Op::sum, Site at = Site::current()) {
    collective("reduce", data, data, op, root, at);
  }
  template <class T>
  void allgather(std::span<T> mine, std::span<T> all, Site at = Site::current()) {
    collective("allgather", mine, all, Op::sum, 0, at);
  }

  /// Opens a named part of the program, which lasts as long as the returned object.
  class [[nodiscard]] Phase {
   public:
    Phase(rs_comm* comm, const char* name, const Site& at) : comm_(comm) {
      const detail::Where where(at);
      detail::check(rs_phase_begin(comm, name, &where));
    }
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;
    ~Phase() { rs_phase_end(comm_); }

   private:
    rs_comm* comm_;
  };
  Phase phase(const char* name, Site at = Site::current()) { return Phase(comm_, name, at); }
  /// Gives an array its name in the views, and records its contents.
  template <class T>
  void watch(const char* name, std::span<T> data, Site at = Site::current()) {
    rs_memory memory = detail::memory(data);
    memory.name = name;
    memory.dims = 1;
    memory.array = memory.data;
    memory.shape[0] = static_cast<std::int64_t>(data.size());
    const detail::Where where(at);
    detail::check(rs_watch(comm_, &memory, &where));
  }

 private:
  friend Communicator join(const char*);
  Communicator(rs_session* session, rs_comm* comm) : session_(session), comm_(comm) {}

  template <class T, class Post>
  Request start(int peer, std::span<T> data, int tag, unsigned flags, const Site& at, Post post) {
    const rs_memory memory = detail::memory(data);
    const detail::Where where(at);
    Request out;
    detail::check(post(comm_, peer, &memory, tag, flags, &where, &out.request_));
    return out;
  }
  template <class T>
  void collective(const char* name, std::span<T> in, std::span<T> out, Op op, int root,
                  const Site& at) {
    rs_call call{};
    call.collective = name;
    call.in = detail::memory(in);
    call.out = detail::memory(out);
    call.op = static_cast<int>(op);
    call.root = root;
    const detail::Where where(at);
    detail::check(rs_collective(comm_, &call, &where, nullptr));
  }

  rs_session* session_;
  rs_comm* comm_;
};

/// Returns this process as the rank given by its environment (RANK and WORLD_SIZE, as `rankscope exec -n 4` sets them).
inline Communicator join(const char* program = nullptr) {
  const char* const rank = std::getenv("RANK");
  const char* const size = std::getenv("WORLD_SIZE");
  if (rank == nullptr || size == nullptr)
    throw Error(
        RS_NO_RUN,
        "RANK and WORLD_SIZE are not set: start the program by `rankscope exec -n 4 program.cpp`");
  const char* const name = program != nullptr ? program : std::getenv("RANKSCOPE_PROGRAM");
  const rs_join_options options{std::atoi(rank), std::atoi(size), nullptr, "native",
                                name == nullptr ? program_invocation_short_name : name};
  rs_session* session = nullptr;
  detail::check(rs_join(&options, &session));
  rs_report_end(session);
  return Communicator(session, rs_world(session));
}

}  // namespace rankscope

#endif  // RANKSCOPE_HPP
