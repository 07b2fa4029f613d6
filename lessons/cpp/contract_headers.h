// rankscope.hpp, and what the call of a student's function needs. No other headers: a program that lacks one must not pass
// here and fail in `rankscope exec`. The grader of a class compiles this once for all (lessons/coding/loaded_libraries.h), so it
// is the first thing that contract.cpp includes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <rankscope.hpp>

namespace rankscope_contract {

using rankscope::Communicator;
using rankscope::Tensor;

/// A task's arguments: elements of its type, and numbers.
struct Values {
  Communicator& comm;
  void* data;
  std::size_t count;
  void* out;  ///< Zeros, for the result.
  std::size_t out_count;
  std::vector<std::int64_t> shape, out_shape;
  int src, scatter_dim, gather_dim;
  std::int64_t value;
  std::string name;
};

/// All values that may be arguments of a function.
template <class T>
struct Given {
  explicit Given(const Values& all)
      : comm(all.comm),
        data(static_cast<T*>(all.data), all.count),
        in(data),
        out(static_cast<T*>(all.out), all.out_count),
        all(all),
        src(all.src),
        scatter_dim(all.scatter_dim),
        gather_dim(all.gather_dim),
        value(all.value),
        name(all.name) {}
  Communicator& comm;
  std::span<T> data;      ///< The argument, if the result is in place.
  std::span<const T> in;  ///< The argument, if the result is elsewhere.
  std::span<T> out;       ///< Zeros, for the result.
  const Values& all;
  int src, scatter_dim, gather_dim;
  std::int64_t value;
  const std::string& name;
  // `in` and `out` with their shapes.
  Tensor<const T> tensor_in() const { return {in, all.shape}; }
  Tensor<T> tensor_out() const { return {out, all.out_shape}; }
};

/// A second result of the function, if any.
using Returned = std::optional<double>;

template <class T>
constexpr const char* dtype_name() {
  if constexpr (std::is_same_v<T, float>) return "float32";
  else if constexpr (std::is_same_v<T, double>) return "float64";
  else if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
  else if constexpr (std::is_same_v<T, std::int64_t>) return "int64";
  else return "uint8";
}

/// Calls the student's function for elements of this type (contract.cpp).
Returned call(std::string_view dtype, const Values& values);
[[noreturn]] void throw_no_type(std::string_view dtype);

}  // namespace rankscope_contract
