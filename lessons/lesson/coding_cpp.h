// Code exercises in C++: how the program that is handed in has to look.
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

/// Nothing: this exercise is for Python alone.
std::optional<CppContract> cpp_contract(const CodingExercise& exercise);

/// For people who read the exercise: the file, the headers and the signature. Empty: for Python alone.
std::string cpp_words(const CodingExercise& exercise);

/// Of a submission's folder, the file that is graded: the exercise's, else the one in C++. Empty: none is there.
std::string handed_in(const CodingExercise& exercise, const std::filesystem::path& folder);
/// Is it a program in C++?
bool is_cpp(std::string_view file) noexcept;

}  // namespace rankscope
