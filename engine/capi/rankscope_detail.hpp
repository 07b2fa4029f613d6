// What rankscope.hpp is made of and programs do not name: the elements of a call's arguments, the types that the library
// reduces, and the turns of threads. Include <rankscope.hpp>.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <rankscope.h>

namespace rankscope {

template <class T>
class Tensor;

namespace detail {

/// Throws the Error of rankscope.hpp.
[[noreturn]] void fail(int code, const std::string& what);

[[noreturn]] inline void misuse(const std::source_location& at, const std::string& what) {
  fail(RS_USAGE, std::string(at.file_name()) + ':' + std::to_string(at.line()) + ": " + what);
}

inline int check(int code) {
  if (code < 0) fail(code, rs_error());
  return code;
}

/// The library's element types are those that it reduces; others are moved as bytes.
template <class T>
constexpr std::int32_t dtype() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, float>) return RS_FLOAT32;
  else if constexpr (std::is_same_v<U, double>) return RS_FLOAT64;
  else if constexpr (std::is_integral_v<U> && sizeof(U) == 4) return RS_INT32;
  else if constexpr (std::is_integral_v<U> && sizeof(U) == 8) return RS_INT64;
  else return RS_UINT8;
}

template <class T>
rs_memory memory(std::span<T> data) {
  constexpr bool kBytes = dtype<T>() == RS_UINT8;
  rs_memory out{};
  out.data = const_cast<std::remove_cv_t<T>*>(data.data());
  out.count = kBytes ? data.size_bytes() : data.size();
  out.dtype = dtype<T>();
  return out;
}

// Not by <ranges>: a program that includes this header alone is compiled in half the time.
template <class Data>
concept Range = requires(Data& data) {
  *std::data(data);
  std::size(data);
};

template <class Data>
constexpr bool kContiguous = Range<Data>;
template <class Data>
constexpr bool kManyElements = requires(Data& data) { std::begin(data); };
/// A type that can be sent: its bytes mean the same on the other side.
template <class T>
constexpr bool kMovable = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

/// The elements of what a program gives a call: a contiguous range, or one value.
template <class Data>
auto elements(Data& data) {
  if constexpr (Range<Data>) return std::span(std::data(data), std::size(data));
  else return std::span<Data, 1>(&data, 1);
}
template <class Data>
using Element =
    typename decltype(elements(std::declval<std::remove_reference_t<Data>&>()))::element_type;

template <class T>
constexpr bool kTensor = false;
template <class T>
constexpr bool kTensor<Tensor<T>> = true;
/// True if an argument's memory is there after the call: it has a name, or it is a view of other memory.
template <class Data>
constexpr bool kLasts = std::is_lvalue_reference_v<Data> || kTensor<std::remove_cvref_t<Data>> ||
                        std::ranges::enable_borrowed_range<std::remove_cvref_t<Data>>;

/// std::complex<float> or <double>, without its header.
template <class T>
concept Complex = requires(T one) {
  one.imag();
  requires std::is_same_v<typename T::value_type, float> ||
               std::is_same_v<typename T::value_type, double>;
  requires sizeof(T) == 2 * sizeof(typename T::value_type);
};

/// _Float16, std::float16_t, __bf16 or std::bfloat16_t, where the compiler computes with them.
template <class T>
concept Half = sizeof(T) == 2 && !std::is_integral_v<T> && !std::is_enum_v<T> &&
               !std::is_class_v<T> && requires(T one) {
                 static_cast<float>(one);
                 static_cast<T>(1.0F);
                 one + one;
               };

/// Elements in a type that the library reduces, with the same result: integers by their sign, since it has int32 and
/// int64. Unsigned 64-bit numbers keep their order as signed ones when the first bit is flipped.
template <class T>
struct Carried {
  static constexpr bool kDirect =
      std::is_same_v<T, float> || std::is_same_v<T, double> ||
      (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) >= 4) ||
      std::is_same_v<T, unsigned char>;
  using type = std::conditional_t<std::is_same_v<T, bool> || sizeof(T) < 4 ||
                                      (sizeof(T) == 4 && std::is_signed_v<T>),
                                  std::int32_t, std::int64_t>;
};

/// The calls under way in this process: they show a thread that calls while another one does, and must not.
struct Calls {
  bool at_once = false;  ///< Several threads may call.
  std::atomic_flag posting;
  std::atomic<bool> any = false, collective = false;
};
inline Calls calls;

/// One call of one thread. Throws Error if another one is under way that excludes it.
class Turn {
 public:
  explicit Turn(bool collective)
      : taken_(!calls.at_once ? &calls.any
               : collective   ? &calls.collective
                              : nullptr) {
    if (taken_ == nullptr || !taken_->exchange(true)) return;
    if (calls.at_once)
      fail(RS_USAGE,
           "two threads call collectives at once, and their order would differ between ranks. "
           "Give each thread a communicator of its own (split), or let one thread call");
    fail(RS_USAGE,
         "another thread of this rank is in a call. Join by "
         "rankscope::join(rankscope::Threads::multiple), or let one thread call at a time");
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (taken_ != nullptr) *taken_ = false;
  }

 private:
  std::atomic<bool>* taken_;
};

/// One message is posted at a time.
class Posting {
 public:
  Posting() {
    while (calls.posting.test_and_set(std::memory_order_acquire)) calls.posting.wait(true);
  }
  Posting(const Posting&) = delete;
  Posting& operator=(const Posting&) = delete;
  ~Posting() {
    calls.posting.clear(std::memory_order_release);
    calls.posting.notify_one();
  }
};

/// Memory for elements of a call; also of bool, which a std::vector packs.
template <class T>
struct Scratch {
  explicit Scratch(std::size_t count) : all(new T[count](), count) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { delete[] all.data(); }
  std::span<T> all;
};

/// The parts of an array by rank, one after another.
template <class T>
std::vector<std::span<T>> parts(std::span<T> all, std::span<const int> counts, int ranks,
                                const std::source_location& at) {
  std::vector<std::span<T>> out;
  if (ranks == 0) return out;  // not the root
  if (counts.size() != static_cast<std::size_t>(ranks)) misuse(at, "give one count for each rank");
  for (const int one : counts) {
    if (one < 0 || static_cast<std::size_t>(one) > all.size())
      misuse(
          at,
          "a count is below 0, or the counts add up to more elements than there are. Counts stand "
          "behind their array: it may be too short, or two lists of counts exchanged");
    out.push_back(all.first(static_cast<std::size_t>(one)));
    all = all.subspan(static_cast<std::size_t>(one));
  }
  return out;
}

struct Where : rs_stack {
  explicit Where(const std::source_location& at) : rs_stack{} {
    depth = 1;
    place[0] = {at.file_name(), at.function_name(), at.line()};
  }
};

}  // namespace detail

}  // namespace rankscope
