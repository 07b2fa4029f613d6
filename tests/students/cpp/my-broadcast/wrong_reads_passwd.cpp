// verdict: wrong
// mistake: includes a file of the machine, to have it shown by the compiler
// tells: cannot be compiled
#include <rankscope.hpp>

#include "/etc/shadow"

template <class T>
void my_broadcast(rankscope::Communicator&, std::span<T>, int) {}
