// rankscope for programs in C++: a communicator with send and receive, on librankscope.
//
//   #include <rankscope.hpp>
//   #include <cstdio>
//   #include <vector>
//   int main() {
//     auto comm = rankscope::join();
//     std::vector<float> data(8, float(comm.rank()));
//     comm.allreduce(data);
//     std::printf("rank %d has %g\n", comm.rank(), data[0]);
//   }
//
// `rankscope exec -n 4 program.cpp` compiles and runs it. C++20. Data is a std::span or anything that is contiguous: a
// vector, an array, a single value. Errors are rankscope::Error; their text says what to do.
#ifndef RANKSCOPE_HPP
#define RANKSCOPE_HPP

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "rankscope.hpp needs C++20: compile with -std=c++20"
#else

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>

#include <rankscope_detail.hpp>  // beside this file, wherever both are installed

namespace rankscope {

class Error : public std::runtime_error {
 public:
  Error(int code, const std::string& what) : std::runtime_error(what), code_(code) {}
  int code() const noexcept { return code_; }  ///< RS_USAGE, RS_COMM, RS_STOPPED, RS_NO_RUN

 private:
  int code_;
};

namespace detail {
inline void fail(int code, const std::string& what) { throw Error(code, what); }

// Here, so that a refusal is the shorter by the lines of a second header.

/// Returns the elements of a message's data, or says how to write what cannot be a message.
template <bool kReads, class Data>
auto given(Data&& data) {
  using Plain = std::remove_cvref_t<Data>;
  if constexpr (!Range<Plain> && (kManyElements<Plain> || !kMovable<Plain>)) {
    static_assert(kContiguous<Plain>,
                  "pass a std::span, std::vector or std::array of numbers, or one number: this is "
                  "no contiguous memory");
    return std::span<int>();
  } else if constexpr (!kMovable<std::remove_const_t<Element<Data>>>) {
    static_assert(kMovable<std::remove_const_t<Element<Data>>>,
                  "pass elements that are plain bytes (numbers, structs of numbers): these own "
                  "memory elsewhere");
    return std::span<int>();
  } else if constexpr (kReads && std::is_const_v<Element<Data>>) {
    static_assert(!std::is_const_v<Element<Data>>,
                  "pass memory that may be written: a receive or a result cannot go into const");
    return std::span<int>();
  } else {
    const auto all = elements(data);
    return std::span<typename decltype(all)::element_type>(all);
  }
}

/// The same for a collective in the background, which converts nothing when it has ended.
template <bool kReduces, class Data>
auto lasting(std::remove_reference_t<Data>& data) {
  static_assert(
      kLasts<Data>,
      "pass memory that lasts until the wait: a temporary is gone when this call is over");
  const auto all = given<true>(data);
  using Value = typename decltype(all)::element_type;
  static_assert(
      !kReduces || dtype<Value>() != RS_UINT8 || std::is_same_v<Value, unsigned char>,
      "pass int, std::int64_t, float or double: the call without i takes other types, too");
  static_assert(
      !kReduces || !std::is_integral_v<Value> || std::is_signed_v<Value> || sizeof(Value) == 1,
      "pass int, std::int64_t, float or double: the call without i takes other types, too");
  return all;
}
}  // namespace detail

enum class Op { sum = RS_SUM, product, min, max, avg, band, bor, bxor };

/// The threads of a rank that make calls: one; several, one at a time; several at once (messages; collectives one at a
/// time).
enum class Threads { one, serialized, multiple };

/// Any source of a receive, or any tag. It is no number, so no rank that was computed can become it.
struct Any {};
inline constexpr Any any{};

/// A rank as a receive names it, or a tag: a number from 0, or `any`.
class Choice {
 public:
  constexpr Choice(int number) : number_(number) {}       // NOLINT(google-explicit-constructor)
  constexpr Choice(Any) : number_(RS_ANY), any_(true) {}  // NOLINT(google-explicit-constructor)
  /// Returns it for the library. Throws Error for a negative number.
  int value(const char* what, const std::source_location& at) const {
    if (any_ || number_ >= 0) return number_;
    detail::misuse(at, what + (' ' + std::to_string(number_)) +
                           " does not exist. (rank - 1) % size is -1 for rank 0 in C++: write " +
                           "(rank - 1 + size) % size, and rankscope::any for any");
  }

 private:
  int number_;
  bool any_ = false;
};

/// A contiguous array with its extents; the last dimension's elements lie side by side.
template <class T>
class Tensor {
 public:
  Tensor(std::span<T> data, std::vector<std::int64_t> shape)
      : data_(data), shape_(std::move(shape)) {}
  /// All elements, as they lie in memory.
  std::span<T> data() const noexcept { return data_; }
  auto begin() const noexcept { return data_.begin(); }
  auto end() const noexcept { return data_.end(); }
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

using Site = std::source_location;

/// A send, a receive or a collective under way. Wait for it before its memory is used again.
class Request {
 public:
  Request() = default;
  Request(Request&& other) noexcept
      : request_(std::exchange(other.request_, nullptr)),
        received_(other.received_),
        is_collective_(other.is_collective_) {}
  Request& operator=(Request&& other) noexcept {
    if (this != &other) {
      rs_drop(&request_);
      request_ = std::exchange(other.request_, nullptr);
      received_ = other.received_;
      is_collective_ = other.is_collective_;
    }
    return *this;
  }
  ~Request() { rs_drop(&request_); }
  Received wait(Site at = Site::current()) {
    rs_status status{};
    const detail::Where where(at);
    const detail::Turn turn(false);
    if (request_ == nullptr) return received_;
    detail::check(rs_wait(&request_, -1, &status, &where));
    return received_ = {status.source, status.tag, status.bytes};
  }
  /// Returns whether it is done; then nobody has to wait for it, and wait() returns at once.
  bool test(Site at = Site::current()) {
    int done = 1;
    if (request_ != nullptr) detail::check(rs_test(request_, &done));
    if (done != 0) wait(at);
    return done != 0;
  }

 private:
  friend class Communicator;
  friend int wait_any(std::span<Request>, Received*, Site);
  rs_request* request_ = nullptr;
  Received received_;
  bool is_collective_ = false;
};

class Communicator {
 public:
  Communicator(Communicator&& other) noexcept
      : session_(other.session_),
        comm_(std::exchange(other.comm_, nullptr)),
        is_world_(other.is_world_) {}
  Communicator& operator=(Communicator&&) = delete;
  ~Communicator() {
    if (comm_ == nullptr) return;
    if (is_world_) rs_leave(session_, std::uncaught_exceptions() == 0 ? 1 : 0, nullptr);
    else rs_free_comm(comm_);
  }

  int rank() const { return rs_rank(here()); }
  int size() const { return rs_size(here()); }
  /// The rank's clock in seconds: virtual under `rankscope exec --sim`.
  double now() const { return static_cast<double>(rs_time(session_)) * 1e-9; }

  // Data of messages and collectives: a contiguous range, or one value. Errors are thrown with the line of the call.

  /// Sends all elements. Returns when `data` may be used again, which is at once if sends are buffered.
  template <class Data>
  void send(int to, const Data& data, int tag = 0, Site at = Site::current()) {
    start(to, detail::memory(detail::given<false>(data)), tag, RS_BLOCKING, at, &rs_isend).wait(at);
  }
  /// Receives up to as many elements as `into` has; a longer message is an error. `from` and `tag` may be `any`.
  template <class Data>
  Received recv(Choice from, Data&& into, Choice tag = 0, Site at = Site::current()) {
    return start(from.value("rank", at), detail::memory(detail::given<true>(into)),
                 tag.value("tag", at), RS_BLOCKING, at, &rs_irecv)
        .wait(at);
  }
  /// Begins a send. `data` must stay as it is until wait().
  template <class Data>
  [[nodiscard]] Request isend(int to, Data&& data, int tag = 0, Site at = Site::current()) {
    static_assert(
        detail::kLasts<Data>,
        "pass memory that lasts until the wait: a temporary is gone when this call is over");
    return start(to, detail::memory(detail::given<false>(data)), tag, 0, at, &rs_isend);
  }
  /// Begins a receive. `into` must be left alone until wait().
  template <class Data>
  [[nodiscard]] Request irecv(Choice from, Data&& into, Choice tag = 0, Site at = Site::current()) {
    static_assert(
        detail::kLasts<Data>,
        "pass memory that lasts until the wait: a temporary is gone when this call is over");
    return start(from.value("rank", at), detail::memory(detail::given<true>(into)),
                 tag.value("tag", at), 0, at, &rs_irecv);
  }
  /// Sends and receives at once, so the same call on the peers cannot deadlock.
  template <class Data, class Into>
  Received sendrecv(int to, const Data& data, Choice from, Into&& into, int tag = 0,
                    Site at = Site::current()) {
    Request sent = isend(to, data, tag, at);
    const Received received = recv(from, into, tag, at);
    sent.wait(at);
    return received;
  }
  /// Returns what a receive with these arguments would take now, if anything has come. Does not block.
  std::optional<Received> probe(Choice from, Choice tag = 0, Site at = Site::current()) {
    rs_status status{};
    int found = 0;
    detail::check(rs_probe(here(), from.value("rank", at), tag.value("tag", at), &found, &status));
    if (found == 0) return std::nullopt;
    return Received{status.source, status.tag, status.bytes};
  }

  // Built-in collectives: shown as such, and not accepted as an answer to an exercise.
  void barrier(Site at = Site::current()) {
    collective("barrier", std::span<float>(), std::span<float>(), Op::sum, 0, at);
  }
  /// Each element becomes that of all ranks, combined. All ranks give as many.
  template <class Data>
  void allreduce(Data&& data, Op op = Op::sum, Site at = Site::current()) {
    const auto all = detail::given<true>(data);
    reduction("allreduce", all, all, op, 0, at);
  }
  /// All ranks get the root's elements. All ranks give as many.
  template <class Data>
  void broadcast(Data&& data, int root, Site at = Site::current()) {
    const auto all = detail::given<true>(data);
    collective("broadcast", all, all, Op::sum, root, at);
  }
  /// The result is at the root; the other ranks' data is scratch memory.
  template <class Data>
  void reduce(Data&& data, int root, Op op = Op::sum, Site at = Site::current()) {
    const auto all = detail::given<true>(data);
    reduction("reduce", all, all, op, root, at);
  }
  /// `all` gets the elements of all ranks, by rank: it has size() times as many as `mine`.
  template <class Data, class Into>
  void allgather(const Data& mine, Into&& all, Site at = Site::current()) {
    const auto from = detail::given<false>(mine);
    collective("allgather", from, parts_of_all(detail::given<true>(all), from.size(), at), Op::sum,
               0, at);
  }
  /// `all` is used at the root only.
  template <class Data, class Into>
  void gather(const Data& mine, Into&& all, int root, Site at = Site::current()) {
    const auto from = detail::given<false>(mine);
    auto into = detail::given<true>(all);
    into = rank() == root ? parts_of_all(into, from.size(), at) : into.first(0);
    collective("gather", from, into, Op::sum, root, at);
  }
  /// `all` is used at the root only.
  template <class Data, class Into>
  void scatter(const Data& all, Into&& mine, int root, Site at = Site::current()) {
    const auto into = detail::given<true>(mine);
    auto from = detail::given<false>(all);
    from = rank() == root ? parts_of_all(from, into.size(), at) : from.first(0);
    collective("scatter", from, into, Op::sum, root, at);
  }
  /// Combines `all`, which has size() times as many elements as `mine`; rank r gets part r.
  template <class Data, class Into>
  void reduce_scatter(const Data& all, Into&& mine, Op op = Op::sum, Site at = Site::current()) {
    const auto from = detail::given<false>(all);
    const auto into = detail::given<true>(mine);
    if (from.size() != parts_of_all(from, into.size(), at).size())
      detail::misuse(at, "the array of all ranks has " + std::to_string(from.size()) +
                             " elements, which is not " + std::to_string(size()) + " times " +
                             std::to_string(into.size()));
    reduction("reduce_scatter", from, into, op, 0, at);
  }
  /// Part s of `all` goes to rank s, where it becomes part r of `into` if it came from rank r.
  template <class Data, class Into>
  void alltoall(const Data& all, Into&& into, Site at = Site::current()) {
    const auto from = detail::given<false>(all);
    const auto to = detail::given<true>(into);
    if (from.size() != to.size() || from.size() % static_cast<std::size_t>(size()) != 0)
      detail::misuse(at, "the arrays have " + std::to_string(from.size()) + " and " +
                             std::to_string(to.size()) +
                             " elements: give both the same number, a multiple of " +
                             std::to_string(size()));
    collective("alltoall", from, to, Op::sum, 0, at);
  }
  // Parts of different sizes: counts[r] elements of rank r, one part after another, each sent in the room of the largest.
  template <class Data, class Into>
  void allgatherv(const Data& mine, Into&& all, std::span<const int> counts,
                  Site at = Site::current()) {
    in_parts("allgather", std::vector{detail::given<false>(mine)},
             detail::parts(detail::given<true>(all), counts, size(), at), 0, at);
  }
  /// `all` and `counts` are used at the root only; in scatterv, too.
  template <class Data, class Into>
  void gatherv(const Data& mine, Into&& all, std::span<const int> counts, int root,
               Site at = Site::current()) {
    in_parts("gather", std::vector{detail::given<false>(mine)},
             detail::parts(detail::given<true>(all), counts, rank() == root ? size() : 0, at), root,
             at);
  }
  template <class Data, class Into>
  void scatterv(const Data& all, std::span<const int> counts, Into&& mine, int root,
                Site at = Site::current()) {
    in_parts("scatter",
             detail::parts(detail::given<false>(all), counts, rank() == root ? size() : 0, at),
             std::vector{detail::given<true>(mine)}, root, at);
  }
  template <class Data, class Into>
  void alltoallv(const Data& all, std::span<const int> counts, Into&& into,
                 std::span<const int> into_counts, Site at = Site::current()) {
    in_parts("alltoall", detail::parts(detail::given<false>(all), counts, size(), at),
             detail::parts(detail::given<true>(into), into_counts, size(), at), 0, at);
  }
  /// With an operator of one's own, f(a, b), which is associative: elements are combined in the order of the ranks.
  template <class Data, class F>
    requires std::invocable<F, const detail::Element<Data>&, const detail::Element<Data>&>
  void allreduce(Data&& data, F&& f, Site at = Site::current()) {
    const auto mine = detail::given<true>(data);
    using Value = typename decltype(mine)::element_type;
    const detail::Scratch<Value> all(mine.size() * static_cast<std::size_t>(size()));
    allgather(mine, all.all, at);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      mine[i] = all.all[i];
      for (std::size_t k = i + mine.size(); k < all.all.size(); k += mine.size())
        mine[i] = f(mine[i], all.all[k]);
    }
  }
  // The same in the background: the memory must be left alone until the request's wait(), which all ranks may do in any
  // order. Elements are of a type that needs no conversion.
  template <class Data>
  [[nodiscard]] Request iallreduce(Data&& data, Op op = Op::sum, Site at = Site::current()) {
    const auto all = detail::lasting<true, Data>(data);
    return begin("allreduce", all, all, op, 0, at);
  }
  template <class Data>
  [[nodiscard]] Request ireduce(Data&& data, int root, Op op = Op::sum, Site at = Site::current()) {
    const auto all = detail::lasting<true, Data>(data);
    return begin("reduce", all, all, op, root, at);
  }
  template <class Data>
  [[nodiscard]] Request ibroadcast(Data&& data, int root, Site at = Site::current()) {
    const auto all = detail::lasting<false, Data>(data);
    return begin("broadcast", all, all, Op::sum, root, at);
  }
  template <class Data, class Into>
  [[nodiscard]] Request iallgather(Data&& mine, Into&& all, Site at = Site::current()) {
    static_assert(
        detail::kLasts<Data> && detail::kLasts<Into>,
        "pass memory that lasts until the wait: a temporary is gone when this call is over");
    const auto from = detail::given<false>(mine);
    return begin("allgather", from, parts_of_all(detail::given<true>(all), from.size(), at),
                 Op::sum, 0, at);
  }
  [[nodiscard]] Request ibarrier(Site at = Site::current()) {
    return begin("barrier", std::span<float>(), std::span<float>(), Op::sum, 0, at);
  }
  /// Collective: ranks of one color form a communicator, ordered by key, then rank; a negative color gives none.
  std::optional<Communicator> split(int color, int key = 0, Site at = Site::current()) {
    rs_comm* made = nullptr;
    const detail::Where where(at);
    const detail::Turn turn(true);
    detail::check(rs_split(here(), color, key, nullptr, &where, &made));
    if (made == nullptr) return std::nullopt;
    return Communicator(session_, made, false);
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
  Phase phase(const char* name, Site at = Site::current()) { return Phase(here(), name, at); }
  /// Gives an array its name in the views, and records its contents.
  template <class Data>
  void watch(const char* name, const Data& given, Site at = Site::current()) {
    const auto data = detail::given<false>(given);
    rs_memory memory = detail::memory(data);
    memory.name = name;
    memory.dims = 1;
    memory.array = memory.data;
    memory.shape[0] = static_cast<std::int64_t>(memory.count);
    const detail::Where where(at);
    detail::check(rs_watch(here(), &memory, &where));
    using Value = std::remove_const_t<typename decltype(data)::element_type>;
    if constexpr (std::is_arithmetic_v<Value> && sizeof(Value) <= 8) {
      const std::string type = std::is_floating_point_v<Value> ? "float"
                               : std::is_signed_v<Value>       ? "int"
                                                               : "uint";
      if constexpr (requires { given.capacity(); }) memory.array = const_cast<Data*>(&given);
      detail::check(rs_watch_values(here(), &memory,
                                    (type + std::to_string(8 * sizeof(Value))).c_str(), &where));
    }
  }

 private:
  friend Communicator join(Threads, const char*);
  Communicator(rs_session* session, rs_comm* comm, bool is_world)
      : session_(session), comm_(comm), is_world_(is_world) {}

  /// Throws Error after a move: the communicator is another object's then.
  rs_comm* here() const {
    if (comm_ == nullptr)
      throw Error(RS_USAGE,
                  "this communicator was moved away: use the object that it was moved to");
    return comm_;
  }
  using Post = int (*)(rs_comm*, int, const rs_memory*, int, unsigned, const rs_stack*,
                       rs_request**);
  // No templates, which would be compiled once for each type.
  Request start(int peer, const rs_memory& memory, int tag, unsigned flags, const Site& at,
                Post post) {
    const detail::Where where(at);
    Request out;
    const detail::Turn turn(false);
    const detail::Posting posting;
    detail::check(post(here(), peer, &memory, tag, flags, &where, &out.request_));
    return out;
  }
  template <class T, class U>
  void collective(const char* name, std::span<T> in, std::span<U> out, Op op, int root,
                  const Site& at) {
    static_assert(std::is_same_v<std::remove_const_t<T>, U>,
                  "pass the same type of elements on both sides");
    call(name, detail::memory(in), detail::memory(out), op, root, at, nullptr);
  }
  template <class T, class U>
  Request begin(const char* name, std::span<T> in, std::span<U> out, Op op, int root,
                const Site& at) {
    static_assert(std::is_same_v<std::remove_const_t<T>, U>,
                  "pass the same type of elements on both sides");
    Request request;
    request.is_collective_ = true;
    call(name, detail::memory(in), detail::memory(out), op, root, at, &request.request_);
    return request;
  }
  void call(const char* name, const rs_memory& in, const rs_memory& out, Op op, int root,
            const Site& at, rs_request** begun) {
    rs_call call{};
    call.collective = name;
    call.in = in;
    call.out = out;
    call.op = static_cast<int>(op);
    call.root = root;
    const detail::Where where(at);
    const detail::Turn turn(true);
    detail::check(rs_collective(here(), &call, &where, begun));
  }
  /// The elements of an array that holds a part of each rank.
  template <class T>
  std::span<T> parts_of_all(std::span<T> all, std::size_t part, const Site& at) const {
    const std::size_t needed = part * static_cast<std::size_t>(size());
    if (all.size() >= needed) return all.first(needed);
    detail::misuse(at, "the array of all ranks has " + std::to_string(all.size()) +
                           " elements, and " + std::to_string(size()) + " times " +
                           std::to_string(part) + " are needed");
  }
  template <class T, class U>
  void in_parts(const char* name, const std::vector<std::span<T>>& in,
                const std::vector<std::span<U>>& out, int root, const Site& at) {
    std::vector<int> sizes, come(out.size());
    for (const auto& one : in) sizes.push_back(static_cast<int>(one.size()));
    collective(name, std::span(sizes), std::span(come), Op::sum, root, at);
    int room = 0;
    for (const int one : sizes) room = one > room ? one : room;
    for (std::size_t r = 0; r < out.size(); ++r)
      if (static_cast<std::size_t>(come[r]) != out[r].size())
        detail::misuse(at, "a part has " + std::to_string(come[r]) + " elements, and room is for " +
                               std::to_string(out[r].size()) + ": the counts differ between ranks");
    allreduce(room, Op::max, at);
    const auto places = static_cast<std::size_t>(room);
    const detail::Scratch<U> from(in.size() * places), to(out.size() * places);
    for (std::size_t r = 0; r < in.size(); ++r)
      for (std::size_t i = 0; i < in[r].size(); ++i) from.all[r * places + i] = in[r][i];
    collective(name, from.all, to.all, Op::sum, root, at);
    for (std::size_t r = 0; r < out.size(); ++r)
      for (std::size_t i = 0; i < out[r].size(); ++i) out[r][i] = to.all[r * places + i];
  }
  template <class T, class U>
  void reduction(const char* name, std::span<T> in, std::span<U> out, Op op, int root,
                 const Site& at) {
    using Value = std::remove_const_t<U>;
    if constexpr (detail::Complex<Value>) {  // two numbers each
      using Part = typename Value::value_type;
      if (op != Op::sum && op != Op::avg)
        throw Error(RS_USAGE,
                    "complex numbers have a sum and an average; give allreduce f(a, b) for others");
      const auto parts = [](auto all) {
        using P = std::conditional_t<std::is_const_v<typename decltype(all)::element_type>,
                                     const Part, Part>;
        return std::span<P>(reinterpret_cast<P*>(all.data()), 2 * all.size());
      };
      collective(name, parts(in), parts(out), op, root, at);
    } else if constexpr (detail::Half<Value>) {  // computed in float, and rounded once
      std::vector<float> from(in.size()), to(out.size());
      for (std::size_t i = 0; i < in.size(); ++i) from[i] = static_cast<float>(in[i]);
      for (std::size_t i = 0; i < out.size(); ++i) to[i] = static_cast<float>(out[i]);
      const bool in_place = static_cast<const void*>(in.data()) == out.data();
      const std::span<float> result(in_place ? from : to);
      collective(name, std::span<float>(from), result, op, root, at);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<U>(result[i]);
    } else if constexpr (!std::is_arithmetic_v<Value> || std::is_same_v<Value, long double>) {
      static_assert(std::is_arithmetic_v<Value> && !std::is_same_v<Value, long double>,
                    "pass integers, float, double or halves: only they can be reduced");
    } else if constexpr (detail::Carried<Value>::kDirect) {
      collective(name, in, out, op, root, at);
    } else {
      using Carrier = typename detail::Carried<Value>::type;
      // bool: a sum says whether there is any, a product whether all are.
      constexpr bool kBool = std::is_same_v<Value, bool>;
      if (kBool && op == Op::avg) throw Error(RS_USAGE, "there is no average of bool");
      if (kBool && op == Op::sum) op = Op::max;
      const bool ordered = op == Op::min || op == Op::max || op == Op::avg;
      const bool flipped = sizeof(Value) == 8 && ordered;
      if (flipped && op == Op::avg)
        throw Error(RS_USAGE,
                    "there is no average of unsigned 64-bit integers: use std::int64_t or double");
      constexpr auto kFirstBit = std::numeric_limits<Carrier>::min();
      std::vector<Carrier> from(in.begin(), in.end()), to(out.begin(), out.end());
      for (auto* const values : {&from, &to})
        for (Carrier& one : *values) one = flipped ? one ^ kFirstBit : one;
      const bool in_place = static_cast<const void*>(in.data()) == out.data();
      const std::span<Carrier> result(in_place ? from : to);
      collective(name, std::span<Carrier>(from), result, op, root, at);
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<Value>(flipped ? result[i] ^ kFirstBit : result[i]);
    }
  }

  rs_session* session_;
  rs_comm* comm_;
  bool is_world_;  ///< Leaves the run when it is destroyed.
};

/// Returns this process as the rank given by its environment (RANK and WORLD_SIZE, as `rankscope exec -n 4` sets them).
inline Communicator join(Threads threads, const char* program = nullptr) {
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
  detail::calls.at_once = threads == Threads::multiple;
  rs_report_end(session);
  // An agent sees one caller for each rank, and has to know that there may be more.
  if (threads == Threads::multiple && std::getenv("RANKSCOPE_AGENT") != nullptr)
    rs_threads(session, 2);
  return Communicator(session, rs_world(session), true);
}

inline Communicator join(const char* program = nullptr) { return join(Threads::one, program); }

/// Ranks as a grid with any number of dimensions, the last one's neighbours side by side: as MPI_Cart_create does it.
class Grid {
 public:
  /// `around`: the first and the last of a dimension are neighbours. Throws Error unless there are as many places as ranks.
  Grid(int ranks, std::vector<int> extents, bool around = false, Site at = Site::current())
      : extents_(std::move(extents)), around_(around) {
    int places = 1;
    for (const int one : extents_) places *= one;
    if (places != ranks)
      detail::misuse(at, "the grid has " + std::to_string(places) + " places for " +
                             std::to_string(ranks) + " ranks");
  }
  /// The place of a rank: one number for each dimension.
  std::vector<int> place(int rank) const {
    std::vector<int> out(extents_.size());
    for (std::size_t dim = extents_.size(); dim-- > 0; rank /= extents_[dim])
      out[dim] = rank % extents_[dim];
    return out;
  }
  /// The rank at a place; none beyond an edge.
  std::optional<int> rank(std::vector<int> place) const {
    int out = 0;
    for (std::size_t dim = 0; dim < extents_.size(); ++dim) {
      const int extent = extents_[dim];
      int& at = place.at(dim);
      if (around_) at = (at % extent + extent) % extent;
      if (at < 0 || at >= extent) return std::nullopt;
      out = out * extent + at;
    }
    return out;
  }
  /// The rank so many places further on in a dimension; none beyond an edge.
  std::optional<int> neighbour(int from, int dim, int by) const {
    auto there = place(from);
    there.at(static_cast<std::size_t>(dim)) += by;
    return rank(std::move(there));
  }

 private:
  std::vector<int> extents_;
  bool around_;
};

/// Waits for all of them.
inline void wait_all(std::span<Request> requests, Site at = Site::current()) {
  for (Request& one : requests) one.wait(at);
}

/// Waits for the first message that is done, and returns its index; -1 if none is under way.
inline int wait_any(std::span<Request> requests, Received* received = nullptr,
                    Site at = Site::current()) {
  std::vector<rs_request*> list;
  for (const Request& one : requests) {
    if (one.is_collective_ && one.request_ != nullptr)
      detail::misuse(at, "wait_any takes messages: wait() for a collective");
    list.push_back(one.request_);
  }
  rs_status status{};
  int index = -1;
  const detail::Where where(at);
  detail::check(
      rs_wait_any(list.data(), static_cast<int>(list.size()), -1, &index, &status, &where));
  if (index >= 0) requests[static_cast<std::size_t>(index)].request_ = nullptr;
  if (received != nullptr) *received = {status.source, status.tag, status.bytes};
  return index;
}

}  // namespace rankscope

#endif  // C++20
#endif  // RANKSCOPE_HPP
