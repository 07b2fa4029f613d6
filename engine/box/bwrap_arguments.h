// Writes a box as the command line of bubblewrap.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/box/box_spec.h"
#include "engine/box/support.h"

namespace rankscope {

/// Numbers of the descriptors that bubblewrap and the gate get.
struct HelperNumbers {
  int filter = -1;
  int passwd = -1;
  int group = -1;
  int gate = -1;  ///< One digit: small shells accept no more.
};

/// Returns numbers above all that the program gets, and for the gate a free single digit. Throws UserError if there is
/// none, or for a number that is taken twice or out of range.
HelperNumbers helper_numbers(const BoxSpec& spec);

/// The user id that a program in a box sees as its own.
inline constexpr unsigned kUserInside = 1000;

/// The variables of every box, which those of its BoxSpec follow and may replace.
inline constexpr const char* kBoxVariables[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp",
                                                "USER=student", "LOGNAME=student", "LANG=C.UTF-8"};

/// /etc/passwd and /etc/group of a box.
std::string passwd_text();
std::string group_text();

/// The files and folders of the system that programs need to start.
std::vector<std::string> system_paths();

/// The options that show the system read-only: system_paths() without the files and folders `hidden`.
std::vector<std::string> system_arguments(const std::vector<std::filesystem::path>& hidden);

/// The whole command line. The program starts behind a gate: a shell that says that the box stands, waits
/// for a line, and becomes the program; at the end of the stream it ends.
std::vector<std::string> bwrap_arguments(const BoxSupport& support, const BoxSpec& spec,
                                         const HelperNumbers& numbers);

/// Returns the spec for running without a box, on the system as it is: bound paths in it become the real ones.
BoxSpec without_box(const BoxSpec& spec);

}  // namespace rankscope
