// A copy of a course for each student of a class, with numbers that only the course's secret decides.
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

/// Reads a course's secret file. Throws UserError when it is none.
std::string read_secret(const std::filesystem::path& file);
/// Writes 32 random bytes in hexadecimal digits, readable by the owner only, or reads the file when it exists.
std::string make_secret(const std::filesystem::path& file);
/// The secret file beside a course file: "homework.secret".
std::filesystem::path secret_beside(const std::filesystem::path& course_file);

/// The course and students to pack.
struct ClassPack {
  const LessonLibrary& library;
  const Course& course;
  std::filesystem::path course_file;
  std::vector<std::string> students;  ///< The students' numbers, which name the copies.
  std::string secret;
  CopySettings settings = {};
  bool replace = false;  ///< Existing copies are written again.
};
using PackProgress = std::function<bool(std::string_view what, std::size_t done, std::size_t all)>;

/// Writes FOLDER/STUDENT for each: content/, courses/ and answers.toml, which names the student. Each copy is complete or
/// missing; existing copies are refused before anything is written, except with `replace`. `progress` is called as work
/// proceeds, and stops it by returning false. Throws UserError.
void pack_for_class(const ClassPack& pack, const std::filesystem::path& folder, LessonRuns& runs,
                    const PackProgress& progress = {});

}  // namespace rankscope
