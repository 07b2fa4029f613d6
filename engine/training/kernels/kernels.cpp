// Finds the kernels that the processor can run.
#include "engine/training/kernels/kernels.h"

#include <array>

namespace rankscope::training {

// Defined by loops.cpp, once for each processor that it is compiled for.
namespace any_processor {
extern const Kernels<float> of_float;
extern const Kernels<double> of_double;
}  // namespace any_processor
#if RANKSCOPE_KERNELS_X86
namespace avx2 {
extern const Kernels<float> of_float;
}  // namespace avx2
namespace avx512 {
extern const Kernels<float> of_float;
}  // namespace avx512
#endif

namespace {

template <class T>
struct List {
  std::array<const Kernels<T>*, 3> all{};
  std::size_t count = 0;
  /// Ignores kernels of another type.
  template <class Of>
  void add(const Kernels<Of>& kernels) {
    if constexpr (std::is_same_v<T, Of>) all.at(count++) = &kernels;
  }
};

template <class T>
List<T> find_usable() {
  List<T> out;
#if RANKSCOPE_KERNELS_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    out.add(avx512::of_float);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) out.add(avx2::of_float);
#endif
  out.add(any_processor::of_float);
  out.add(any_processor::of_double);
  return out;
}

}  // namespace

template <class T>
std::span<const Kernels<T>* const> usable_kernels() {
  static const List<T> list = find_usable<T>();
  return std::span(list.all).first(list.count);
}

template std::span<const Kernels<float>* const> usable_kernels<float>();
template std::span<const Kernels<double>* const> usable_kernels<double>();

}  // namespace rankscope::training
