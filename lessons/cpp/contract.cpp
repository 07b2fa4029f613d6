// Runs inside of a box for programs in C++ and calls a student's function for each task of its exercise.
// The counterpart of rankscope/contract.py for programs in C++. Nothing here decides about points: the agent, outside of the
// box, sees every message, and the results are judged there.
//
// Compiled by the grader (lessons/coding/cpp_program.cpp), which gives by -D:
//   RANKSCOPE_FILE       the student's file, in quotes
//   RANKSCOPE_FUNCTION   the function's name
//   RANKSCOPE_ARGUMENTS  its arguments: members of `given`
//   RANKSCOPE_TYPES      the element types of its calls
//   RANKSCOPE_EXPECTED   the message if it cannot be called like this
//   RANKSCOPE_WITH_MAIN  contract_main.cpp has not been compiled before
// They are macros because each exercise's function has another name. What is the same for all of them is contract_main.cpp.
#include <contract_headers.h>

// The student's own main(), for `rankscope exec`, is not used.
#define main rankscope_students_own_main
#include RANKSCOPE_FILE
#undef main

namespace rankscope_contract {

template <class T>
concept Callable = requires(Given<T>& given) { RANKSCOPE_FUNCTION(RANKSCOPE_ARGUMENTS); };
template <class... T>
constexpr bool kForSomeType = (Callable<T> || ...);
static_assert(kForSomeType<RANKSCOPE_TYPES>, RANKSCOPE_EXPECTED);

template <class T>
Returned call_as(const Values& values) {
  if constexpr (!Callable<T>) {
    throw std::runtime_error(std::string("there is no form of it for ") + dtype_name<T>() + ". " +
                             RANKSCOPE_EXPECTED);
  } else {
    Given<T> given(values);
    if constexpr (std::is_arithmetic_v<decltype(RANKSCOPE_FUNCTION(RANKSCOPE_ARGUMENTS))>)
      return static_cast<double>(RANKSCOPE_FUNCTION(RANKSCOPE_ARGUMENTS));
    else RANKSCOPE_FUNCTION(RANKSCOPE_ARGUMENTS);
    return std::nullopt;
  }
}

template <class... T>
Returned call_one(std::string_view dtype, const Values& values) {
  Returned out;
  const bool known = ((dtype == dtype_name<T>() ? (out = call_as<T>(values), true) : false) || ...);
  if (!known) throw_no_type(dtype);
  return out;
}

Returned call(std::string_view dtype, const Values& values) {
  return call_one<RANKSCOPE_TYPES>(dtype, values);
}

}  // namespace rankscope_contract

#ifdef RANKSCOPE_WITH_MAIN
#include <contract_main.cpp>
#endif
