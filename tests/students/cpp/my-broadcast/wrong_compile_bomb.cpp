#include <rankscope.hpp>

template <int A, unsigned B>
struct Bomb {
  static constexpr bool value = Bomb<A - 1, B>::value && Bomb<A - 1, B + (1U << A)>::value;
};
template <unsigned B>
struct Bomb<0, B> {
  static constexpr bool value = true;
};

template <class T>
void my_broadcast(rankscope::Communicator&, std::span<T>, int) {
  static_assert(Bomb<26, 0>::value);
}
