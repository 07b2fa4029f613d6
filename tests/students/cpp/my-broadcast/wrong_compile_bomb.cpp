// verdict: wrong
// mistake: keeps the compiler busy without end
// tells: cannot be compiled
#include <rankscope.hpp>

template <int A, int B>
struct Bomb {
  static constexpr int value = Bomb<A - 1, B>::value + Bomb<A - 1, B + (1 << A)>::value;
};
template <int B>
struct Bomb<0, B> {
  static constexpr int value = B;
};

template <class T>
void my_broadcast(rankscope::Communicator&, std::span<T>, int) {
  static_assert(Bomb<26, 0>::value != 0);
}
