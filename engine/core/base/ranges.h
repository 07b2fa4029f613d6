// The most used algorithms of std::ranges, with the same arguments but without their concepts.
#pragma once

#include <algorithm>  // re-exported to includers
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>

/// The standard library's versions check a dozen concepts per call, which takes 15 to 30 ms of compile time, a
/// twentieth of a first build. For anything not here (views, other algorithms), use std::ranges.
namespace rankscope::ranges {

/// Calls a predicate or projection, or reads a member of the element.
template <class F, class T>
constexpr decltype(auto) call(F& f, T&& element) {
  if constexpr (std::is_member_pointer_v<F>) return std::invoke(f, element);
  else return f(element);
}

/// Compares two elements by their projections.
template <class C, class P>
struct Compare {
  C& less;
  P& of;

  template <class A, class B>
  constexpr bool operator()(const A& a, const B& b) const {
    return less(call(of, a), call(of, b));
  }
};

/// True if iterators into R outlive the call: like std::ranges, functions that return one refuse temporaries.
template <class R>
constexpr bool kLasts =
    std::is_lvalue_reference_v<R> || std::ranges::enable_borrowed_range<std::remove_cvref_t<R>>;

template <class R, class F, class P = std::identity>
constexpr auto find_if(R&& range, F wanted, P of = {}) {
  static_assert(kLasts<R>);
  auto at = std::begin(range);
  for (const auto end = std::end(range); at != end; ++at)
    if (call(wanted, call(of, *at))) break;
  return at;
}

template <class R, class T, class P = std::identity>
constexpr auto find(R&& range, const T& value, P of = {}) {
  static_assert(kLasts<R>);
  auto at = std::begin(range);
  for (const auto end = std::end(range); at != end; ++at)
    if (call(of, *at) == value) break;
  return at;
}

template <class R, class F, class P = std::identity>
constexpr bool any_of(R&& range, F wanted, P of = {}) {
  for (auto&& element : range)
    if (call(wanted, call(of, element))) return true;
  return false;
}

template <class R, class F, class P = std::identity>
constexpr bool all_of(R&& range, F wanted, P of = {}) {
  for (auto&& element : range)
    if (!call(wanted, call(of, element))) return false;
  return true;
}

template <class R, class F, class P = std::identity>
constexpr bool none_of(R&& range, F wanted, P of = {}) {
  return !any_of(range, wanted, of);
}

template <class R, class F, class P = std::identity>
constexpr std::ptrdiff_t count_if(R&& range, F wanted, P of = {}) {
  std::ptrdiff_t found = 0;
  for (auto&& element : range) found += call(wanted, call(of, element)) ? 1 : 0;
  return found;
}

template <class R, class T, class P = std::identity>
constexpr std::ptrdiff_t count(R&& range, const T& value, P of = {}) {
  std::ptrdiff_t found = 0;
  for (auto&& element : range) found += call(of, element) == value ? 1 : 0;
  return found;
}

template <class R, class C = std::less<>, class P = std::identity>
constexpr void sort(R&& range, C less = {}, P of = {}) {
  std::sort(std::begin(range), std::end(range), Compare<C, P>{less, of});
}

template <class R, class C = std::less<>, class P = std::identity>
void stable_sort(R&& range, C less = {}, P of = {}) {
  std::stable_sort(std::begin(range), std::end(range), Compare<C, P>{less, of});
}

template <class R, class C = std::less<>, class P = std::identity>
constexpr auto max_element(R&& range, C less = {}, P of = {}) {
  static_assert(kLasts<R>);
  return std::max_element(std::begin(range), std::end(range), Compare<C, P>{less, of});
}

template <class R, class C = std::less<>, class P = std::identity>
constexpr auto min_element(R&& range, C less = {}, P of = {}) {
  static_assert(kLasts<R>);
  return std::min_element(std::begin(range), std::end(range), Compare<C, P>{less, of});
}

template <class R, class T, class C = std::less<>, class P = std::identity>
constexpr auto lower_bound(R&& range, const T& value, C less = {}, P of = {}) {
  static_assert(kLasts<R>);
  return std::lower_bound(
      std::begin(range), std::end(range), value,
      [&](const auto& element, const T& wanted) { return less(call(of, element), wanted); });
}

template <class R, class T, class C = std::less<>, class P = std::identity>
constexpr auto upper_bound(R&& range, const T& value, C less = {}, P of = {}) {
  static_assert(kLasts<R>);
  return std::upper_bound(
      std::begin(range), std::end(range), value,
      [&](const T& wanted, const auto& element) { return less(wanted, call(of, element)); });
}

template <class A, class B, class Same = std::equal_to<>, class P = std::identity,
          class Q = std::identity>
constexpr bool equal(const A& a, const B& b, Same same = {}, P of_a = {}, Q of_b = {}) {
  return std::equal(
      std::begin(a), std::end(a), std::begin(b), std::end(b),
      [&](const auto& x, const auto& y) { return same(call(of_a, x), call(of_b, y)); });
}

template <class R, class Out>
constexpr Out copy(R&& range, Out out) {
  return std::copy(std::begin(range), std::end(range), out);
}

template <class R, class T>
constexpr void fill(R&& range, const T& value) {
  std::fill(std::begin(range), std::end(range), value);
}

template <class R, class T>
constexpr void replace(R&& range, const T& old_value, const T& new_value) {
  std::replace(std::begin(range), std::end(range), old_value, new_value);
}

template <class R>
constexpr void reverse(R&& range) {
  std::reverse(std::begin(range), std::end(range));
}

}  // namespace rankscope::ranges
