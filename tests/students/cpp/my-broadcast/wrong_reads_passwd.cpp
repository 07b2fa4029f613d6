// verdict: wrong
// mistake: includes a file of the machine, to have it shown by the compiler
// expect: cannot be compiled
#include "/etc/shadow"
#include <rankscope.hpp>

template <class T>
void my_broadcast(rankscope::Communicator&, std::span<T>, int) {}
