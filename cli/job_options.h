// The options that describe a job, shared by the commands that run one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option_list.h"
#include "engine/run/job/job_fields.h"

namespace rankscope::cli {

/// Returns the heading of a section's options in the help.
const char* title_of(JobField::Section section);

/// A job's options as typed; those left out have JobSpec's defaults.
struct JobOptions {
  JobOptions();

  std::map<std::string_view, std::string> texts;  ///< By the field's key in JSON.
  std::map<std::string_view, bool> flags;  ///< Whether the field has the opposite of its default.
  std::vector<std::string> delays;
  std::string count, bytes;  ///< Other ways to give the shape.

  void add_algorithm(OptionList app, bool required);
  /// Adds the sections of data and algorithm; the others and add_algorithm() are called for one by one.
  void add_job(OptionList app);
  /// Adds the options of a section under its heading.
  void add(OptionList app, JobField::Section section);
  OptionHandle add(OptionList app, std::string_view key);

  /// Returns the fields without --count, --bytes, --values and --delay, not checked against each other. Throws UserError.
  JobSpec fields() const;
  /// Returns the validated job. Throws UserError.
  JobSpec spec() const;
};

}  // namespace rankscope::cli
