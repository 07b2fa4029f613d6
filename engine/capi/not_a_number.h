// Notes where a rank of a program in C++ first computes a value that is not a number.
#pragma once

#include <csignal>

namespace rankscope::capi {

/// Lets the first such operation of this thread raise SIGFPE, which take_not_a_number() has to handle. Threads that it
/// starts inherit that. Does nothing on machines other than x86-64, and under a debugger, which would stop there.
void trap_not_a_number();

/// Returns whether such a trap raised the signal. The program then goes on as without it; the first place is kept.
bool take_not_a_number(const siginfo_t& info, void* context) noexcept;

/// Notes the kept place, if it is one of the program's and the operation makes such a value of numbers.
void note_not_a_number(int rank, int size);

}  // namespace rankscope::capi
