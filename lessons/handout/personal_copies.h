// Copies of a course for each student of a class, with numbers of their own that nobody chooses.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/handout/student_copy.h"

namespace rankscope {

/// A student's numbers: HMAC-SHA-256 of the course's secret and the student's number, 63 bits of it, never 0. The
/// lecturer computes it again; the secret cannot be computed from it.
std::uint64_t seed_of_student(std::string_view secret, std::string_view student);

/// The bytes of a course's secret file. Throws UserError when it is not one.
std::string read_secret(const std::filesystem::path& file);
/// Writes 32 random bytes in hexadecimal digits, readable for its owner only; what is there already is read instead.
std::string make_secret(const std::filesystem::path& file);
/// Beside the course file: "homework.secret".
std::filesystem::path secret_beside(const std::filesystem::path& course_file);

/// What is packed.
struct ClassPack {
  const LessonLibrary& library;
  const Course& course;
  std::filesystem::path course_file;
  std::vector<std::string> students;  ///< Their numbers, which name the copies.
  std::string secret;
  CopySettings settings = {};
  bool replace = false;  ///< Copies that are there already are written again.
};
using PackProgress = std::function<bool(std::string_view what, std::size_t done, std::size_t all)>;

/// FOLDER/STUDENT for each: content/, courses/ and answers.toml, which names the student. Each copy is there whole or not
/// at all; what is in the folder already is refused before anything is written, except with `replace`. Throws UserError;
/// `progress` is told, and false stops.
void pack_for_class(const ClassPack& pack, const std::filesystem::path& folder, LessonRuns& runs,
                    const PackProgress& progress = {});

}  // namespace rankscope
