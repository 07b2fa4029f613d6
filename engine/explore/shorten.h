// Delta debugging: the few of many things without which a failure does not happen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace rankscope::explore {

template <class T>
struct Shortened {
  std::vector<T> kept;  ///< In the given order.
  int tests = 0;
  bool minimal =
      false;  ///< None of them can be left out alone; false if the tests did not suffice.
};

/// ddmin (Zeller, Hildebrandt 2002). `fails` returns whether a part of `all` still fails; all of it must. It is called at
/// most `most_tests` times, for the empty part first.
template <class T>
Shortened<T> shorten(std::vector<T> all, const std::function<bool(const std::vector<T>&)>& fails,
                     int most_tests) {
  Shortened<T> out{std::move(all), 0, false};
  const auto test = [&](const std::vector<T>& part) { return ++out.tests, fails(part); };
  if (out.kept.empty() || (most_tests > 0 && test({}))) {
    out.kept.clear();
    out.minimal = true;
    return out;
  }
  std::size_t parts = 2;
  while (out.kept.size() > 1) {
    parts = std::min(parts, out.kept.size());
    const std::size_t size = out.kept.size();
    bool shorter = false;
    // Each part alone, then all but each part; of two parts that is the same.
    for (const bool alone : {true, false}) {
      for (std::size_t k = 0; k < parts && !shorter && (alone || parts > 2); ++k) {
        if (out.tests >= most_tests) return out;
        const auto begin = out.kept.begin() + static_cast<std::ptrdiff_t>(k * size / parts);
        const auto end = out.kept.begin() + static_cast<std::ptrdiff_t>((k + 1) * size / parts);
        std::vector<T> part(begin, end);
        if (!alone) {
          part.assign(out.kept.begin(), begin);
          part.insert(part.end(), end, out.kept.end());
        }
        if (!test(part)) continue;
        out.kept = std::move(part);
        parts = alone ? 2 : std::max<std::size_t>(parts - 1, 2);
        shorter = true;
      }
    }
    if (shorter) continue;
    if (parts == size) break;
    parts = std::min(parts * 2, size);
  }
  out.minimal = true;
  return out;
}

}  // namespace rankscope::explore
