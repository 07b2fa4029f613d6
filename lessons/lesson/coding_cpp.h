// Coding exercises in C++: the form that a student's program has.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "lessons/lesson/coding.h"

namespace rankscope {

struct CppContract {
  std::string file;  ///< "my_broadcast.cpp"
  std::string
      signature;  ///< "template <class T>\nvoid my_broadcast(rankscope::Communicator& comm, ...)"
  std::string arguments;  ///< Members of `given` in lessons/cpp/contract.cpp.
};

/// The form of a program in C++; nothing for an exercise in Python alone.
std::optional<CppContract> cpp_contract(const CodingExercise& exercise);

/// The file, headers and signature in words, for the exercise's page; empty for an exercise in Python alone.
std::string cpp_words(const CodingExercise& exercise);

/// A file to start from in C++, with the function that is asked for; empty for an exercise in Python alone.
std::string cpp_starter(const CodingExercise& exercise);

/// The file of a submission's folder that is graded: the exercise's, else the one in C++; empty when there is neither.
std::string handed_in(const CodingExercise& exercise, const std::filesystem::path& folder);
/// Returns whether a file is a program in C++.
bool is_cpp(std::string_view file) noexcept;

}  // namespace rankscope
