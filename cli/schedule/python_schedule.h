// Schedules that are a few lines of Python.
#pragma once

#include <string>

namespace rankscope::cli {

/// The table that the file's moves(ranks) makes, as text. It runs in a sandbox, unless `no_sandbox`: a schedule may come
/// from anybody. Throws UserError with what Python says.
std::string table_from_python(const std::string& path, int ranks, bool no_sandbox);

}  // namespace rankscope::cli
