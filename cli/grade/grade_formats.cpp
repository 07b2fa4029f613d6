// Reads the lists of --format and --gradebook.
#include "cli/grade/grade_formats.h"

#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/grade/grade_batch.h"
#include "cli/sizes.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/suggest.h"
#include "engine/core/base/utf8.h"
#include "engine/diagrams/paint/cairo_painter.h"

namespace rankscope::cli {

std::set<std::string> formats_of(const std::string& list) {
  std::set<std::string> out;
  const std::vector<std::string> known(std::begin(GradeBatch::kFormats),
                                       std::end(GradeBatch::kFormats));
  for (const auto part : split(list, ',')) {
    const std::string word(part);
    if (word.empty()) continue;
    if (ranges::find(known, word) == known.end()) {
      const std::string meant = did_you_mean(word, known);
      throw UserError(fmt::format("--format: '{}' is none of {}{}{}", word, fmt::join(known, ", "),
                                  meant.empty() ? "" : "; ", meant));
    }
    if (word == "pdf" && !has_cairo())
      throw UserError("--format: this rankscope was built without Cairo, so it writes no pdf");
    out.insert(word);
  }
  if (out.empty()) throw UserError("--format: say at least one of results,junit,html,pdf,csv");
  return out;
}

std::vector<const GradebookForm*> forms_of(const std::string& list) {
  std::vector<std::string> known;
  for (const GradebookForm& form : gradebook_forms()) known.emplace_back(form.name);
  std::vector<const GradebookForm*> out;
  for (const auto part : split(list, ',')) {
    if (part.empty()) continue;
    const auto found = ranges::find(gradebook_forms(), part, &GradebookForm::name);
    if (found == gradebook_forms().end())
      throw UserError(fmt::format("--gradebook: '{}' is none of {}", part, fmt::join(known, ", ")));
    out.push_back(&*found);
  }
  return out;
}

}  // namespace rankscope::cli
