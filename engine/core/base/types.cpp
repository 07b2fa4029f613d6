// Converts the enumerations to and from their names, and checks which types an operation accepts.
#include "engine/core/base/types.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

template <class E>
using NameTable = std::span<const std::pair<E, std::string_view>>;

constexpr std::array<std::pair<DType, std::string_view>, 5> kDTypeNames{
    {{DType::uint8, "uint8"},
     {DType::int32, "int32"},
     {DType::int64, "int64"},
     {DType::float32, "float32"},
     {DType::float64, "float64"}}};
constexpr std::array<std::pair<ReduceOp, std::string_view>, 8> kReduceOpNames{
    {{ReduceOp::sum, "SUM"},
     {ReduceOp::product, "PRODUCT"},
     {ReduceOp::min, "MIN"},
     {ReduceOp::max, "MAX"},
     {ReduceOp::avg, "AVG"},
     {ReduceOp::band, "BAND"},
     {ReduceOp::bor, "BOR"},
     {ReduceOp::bxor, "BXOR"}}};
constexpr std::array<std::pair<SendMode, std::string_view>, 2> kSendModeNames{
    {{SendMode::buffered, "buffered"}, {SendMode::rendezvous, "rendezvous"}}};
constexpr std::array<std::pair<TraceLevel, std::string_view>, 3> kTraceLevelNames{
    {{TraceLevel::off, "off"}, {TraceLevel::light, "light"}, {TraceLevel::full, "full"}}};

constexpr std::array<std::pair<InputPattern, std::string_view>, 5> kInputPatternNames{
    {{InputPattern::exact, "exact"},
     {InputPattern::index, "index"},
     {InputPattern::rank, "rank"},
     {InputPattern::real, "real"},
     {InputPattern::given, "given"}}};

bool same_name(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

template <class E>
std::string_view name_of(NameTable<E> table, E value) noexcept {
  for (const auto& [candidate, name] : table)
    if (candidate == value) return name;
  return "unknown";
}

template <class E>
std::optional<E> value_of(NameTable<E> table, std::string_view name) noexcept {
  for (const auto& [value, candidate] : table)
    if (same_name(candidate, name)) return value;
  return std::nullopt;
}

}  // namespace

std::string_view to_string(DType type) noexcept { return name_of<DType>(kDTypeNames, type); }
std::string_view to_string(ReduceOp op) noexcept { return name_of<ReduceOp>(kReduceOpNames, op); }
std::string_view to_string(SendMode mode) noexcept {
  return name_of<SendMode>(kSendModeNames, mode);
}
std::string_view to_string(TraceLevel level) noexcept {
  return name_of<TraceLevel>(kTraceLevelNames, level);
}
std::string_view to_string(InputPattern pattern) noexcept {
  return name_of<InputPattern>(kInputPatternNames, pattern);
}

std::optional<DType> parse_dtype(std::string_view name) noexcept {
  return value_of<DType>(kDTypeNames, name);
}
std::optional<ReduceOp> parse_reduce_op(std::string_view name) noexcept {
  return value_of<ReduceOp>(kReduceOpNames, name);
}
std::optional<SendMode> parse_send_mode(std::string_view name) noexcept {
  return value_of<SendMode>(kSendModeNames, name);
}
std::optional<TraceLevel> parse_trace_level(std::string_view name) noexcept {
  return value_of<TraceLevel>(kTraceLevelNames, name);
}
std::optional<InputPattern> parse_input_pattern(std::string_view name) noexcept {
  return value_of<InputPattern>(kInputPatternNames, name);
}

void check_reduce(DType type, ReduceOp op) {
  if (is_bitwise(op) && is_floating(type))
    throw UserError(fmt::format(
        "{} works on the bits of integers and is not defined for {}: choose an integer type "
        "(uint8, int32, int64) or another operation (SUM, PRODUCT, MIN, MAX, AVG)",
        to_string(op), to_string(type)));
}

std::string dtype_names() {
  std::string all;
  for (const auto& [type, name] : kDTypeNames) {
    if (!all.empty()) all += ", ";
    all += name;
  }
  return all;
}

}  // namespace rankscope
