// The options that say what is to be run, shared by the commands that run something.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option_list.h"
#include "engine/run/job/job_fields.h"

namespace rankscope::cli {

/// Over a section's options in the help.
const char* title_of(JobField::Section section);

/// As typed; spec() reads them. Every option is optional, with JobSpec's own default.
struct JobOptions {
  JobOptions();

  std::map<std::string_view, std::string> texts;  ///< By the field's key in JSON.
  std::map<std::string_view, bool> flags;         ///< True: the opposite of the default.
  std::vector<std::string> delays;
  std::string count, bytes;  ///< Other ways to say the shape.

  void add_algorithm(OptionList app, bool required);
  void add_job(OptionList app);
  /// Those of a section, under its title.
  void add(OptionList app, JobField::Section section);
  /// The option of one field.
  OptionHandle add(OptionList app, std::string_view key);

  /// The fields as typed, each by itself: not checked against each other. Throws UserError.
  JobSpec fields() const;
  /// The job, validated. Throws UserError.
  JobSpec spec() const;
};

}  // namespace rankscope::cli
