// The reductions, for each set of vectors that this processor has.
#include "engine/core/base/reduce.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/core/base/random.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

// Whole numbers wrap, so all bits are values; of reals, none is a NaN, whose bits no operation promises.
template <class T>
T value_for(RandomNumbers& random) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random.next());
  } else {
    switch (random.below(8)) {
      case 0: return -T{0};
      case 1: return T{0};
      case 2: return std::numeric_limits<T>::max();
      default:
        return static_cast<T>(std::ldexp(static_cast<double>(random.below(1u << 30)) - 5e8,
                                         -static_cast<int>(random.below(40))));
    }
  }
}

template <class T>
T combined(ReduceOp op, T a, T b) {
  const auto wide = [](T value) { return static_cast<std::uint64_t>(value); };
  switch (op) {
    case ReduceOp::min: return b < a ? b : a;
    case ReduceOp::max: return a < b ? b : a;
    case ReduceOp::sum:
    case ReduceOp::avg:
      if constexpr (std::is_integral_v<T>) return static_cast<T>(wide(a) + wide(b));
      else return a + b;
    case ReduceOp::product:
      if constexpr (std::is_integral_v<T>) return static_cast<T>(wide(a) * wide(b));
      else return a * b;
    case ReduceOp::band: return static_cast<T>(wide(a) & wide(b));
    case ReduceOp::bor: return static_cast<T>(wide(a) | wide(b));
    case ReduceOp::bxor: return static_cast<T>(wide(a) ^ wide(b));
  }
  return a;
}

template <class T>
void compare(DType dtype, ReduceOp op, VectorSet vectors, std::size_t count, std::size_t shift) {
  RandomNumbers random(count * 31 + shift);
  std::vector<T> into, from, expected;
  for (std::size_t i = 0; i < count; ++i) {
    into.push_back(value_for<T>(random));
    from.push_back(value_for<T>(random));
    expected.push_back(combined(op, into[i], from[i]));
  }
  std::vector<std::byte> message(shift + count * sizeof(T));  // it lies anywhere
  if (count > 0) std::memcpy(message.data() + shift, from.data(), count * sizeof(T));
  reduce_into(reinterpret_cast<std::byte*>(into.data()), message.data() + shift,
              static_cast<Count>(count), dtype, op, vectors);
  REQUIRE((count == 0 || std::memcmp(into.data(), expected.data(), count * sizeof(T)) == 0));
}

}  // namespace

TEST_CASE("a reduction gives the same bits with each set of vectors") {
  for (const VectorSet vectors : {VectorSet::common, VectorSet::avx2, VectorSet::avx512}) {
    if (vectors > widest_vectors()) continue;
    for (const DType dtype :
         {DType::uint8, DType::int32, DType::int64, DType::float32, DType::float64})
      for (const ReduceOp op : {ReduceOp::sum, ReduceOp::product, ReduceOp::min, ReduceOp::max,
                                ReduceOp::avg, ReduceOp::band, ReduceOp::bor, ReduceOp::bxor}) {
        const bool bits = op == ReduceOp::band || op == ReduceOp::bor || op == ReduceOp::bxor;
        if (bits && (dtype == DType::float32 || dtype == DType::float64)) continue;
        CAPTURE(static_cast<int>(vectors), to_string(dtype), to_string(op));
        for (const std::size_t count : {0, 1, 3, 7, 8, 15, 16, 31, 33, 64, 67, 1000, 4099})
          for (const std::size_t shift : {0, 1, 8})
            visit_dtype(dtype, [&]<class T>() { compare<T>(dtype, op, vectors, count, shift); });
      }
  }
}
