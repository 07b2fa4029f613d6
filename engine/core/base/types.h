// The basic vocabulary that all code shares: ranks, tags, element types and reduce operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rankscope {

using Rank = int;            ///< 0-based position in a communicator or in the world.
using Tag = int;             ///< Distinguishes messages between the same two ranks; >= 0.
using Count = std::int64_t;  ///< A number of elements.

inline constexpr Rank kAnyRank = -1;  ///< Wildcard source of a receive.
inline constexpr Tag kAnyTag = -1;    ///< Wildcard tag of a receive.

/// Element types. All buffers are homogeneous.
enum class DType : std::uint8_t { uint8, int32, int64, float32, float64 };
inline constexpr DType kAllDTypes[] = {DType::uint8, DType::int32, DType::int64, DType::float32,
                                       DType::float64};

/// Reduce operations. AVG is SUM followed by one division by the number of ranks at the end.
/// Integer sums and products wrap around; integer AVG truncates towards zero.
enum class ReduceOp : std::uint8_t { sum, product, min, max, avg, band, bor, bxor };
inline constexpr ReduceOp kAllReduceOps[] = {ReduceOp::sum, ReduceOp::product, ReduceOp::min,
                                             ReduceOp::max, ReduceOp::avg,     ReduceOp::band,
                                             ReduceOp::bor, ReduceOp::bxor};

/// Size of one element in bytes.
constexpr std::size_t dtype_size(DType type) noexcept {
  switch (type) {
    case DType::uint8: return 1;
    case DType::int32: return 4;
    case DType::int64: return 8;
    case DType::float32: return 4;
    case DType::float64: return 8;
  }
  return 0;
}

constexpr bool is_floating(DType type) noexcept {
  return type == DType::float32 || type == DType::float64;
}
constexpr bool is_bitwise(ReduceOp op) noexcept {
  return op == ReduceOp::band || op == ReduceOp::bor || op == ReduceOp::bxor;
}

std::string_view to_string(DType type) noexcept;   ///< "float32"
std::string_view to_string(ReduceOp op) noexcept;  ///< "SUM"
/// Returns the type of a name in any case; nullopt if it is unknown.
std::optional<DType> parse_dtype(std::string_view name) noexcept;
std::optional<ReduceOp> parse_reduce_op(std::string_view name) noexcept;

/// Throws UserError if the operation is not defined on the type (bit operations on floats).
void check_reduce(DType type, ReduceOp op);

/// Calls `visitor.operator()<T>()` with the C++ type of `type`.
template <class Visitor>
decltype(auto) visit_dtype(DType type, Visitor&& visitor) {
  switch (type) {
    case DType::uint8: return visitor.template operator()<std::uint8_t>();
    case DType::int32: return visitor.template operator()<std::int32_t>();
    case DType::int64: return visitor.template operator()<std::int64_t>();
    case DType::float32: return visitor.template operator()<float>();
    case DType::float64: break;
  }
  return visitor.template operator()<double>();
}

/// When a send completes: buffered, as soon as its memory may be reused; rendezvous, only once the matching receive is
/// posted (above the eager limit in bytes).
enum class SendMode : std::uint8_t { buffered, rendezvous };
std::string_view to_string(SendMode mode) noexcept;
std::optional<SendMode> parse_send_mode(std::string_view name) noexcept;

/// The detail that a run records: nothing, events without contents, or events with buffer previews.
enum class TraceLevel : std::uint8_t { off, light, full };
std::string_view to_string(TraceLevel level) noexcept;
std::optional<TraceLevel> parse_trace_level(std::string_view name) noexcept;

/// The numbers of the inputs. Small exact integers by default, so that sums are exact in every dtype
/// and independent of their order; `index`: element i of rank r is r * count + i (lesson-friendly);
/// `rank`: every element is r + 1; `real`: reals in [-1, 1), for tolerance tests; `given`: the
/// job's own values.
enum class InputPattern : std::uint8_t { exact, index, rank, real, given };
std::string_view to_string(InputPattern pattern) noexcept;
std::optional<InputPattern> parse_input_pattern(std::string_view name) noexcept;

/// Transports that code chooses by name: for jobs that name none, for ranks that are threads of this process, for
/// virtual time, and for shared memory.
inline constexpr std::string_view kDefaultTransport = "ipc", kThreadTransport = "inproc",
                                  kSimTransport = "sim", kSharedTransport = "shm";

/// Returns all element types, joined for messages: "float32, float64".
std::string dtype_names();

}  // namespace rankscope
