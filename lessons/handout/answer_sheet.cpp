// Writes the answer sheet of a lesson or course in TOML.
#include "lessons/handout/answer_sheet.h"

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "engine/toml/toml_text.h"
#include "lessons/grading/grade.h"
#include "lessons/text/list_text.h"
#include "lessons/text/markdown.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostWidth = 90;

// Comment lines of at most kMostWidth bytes, broken at blanks.
std::string commented(std::string_view text) {
  std::string out;
  for (std::string_view line : lines_of(text)) {
    while (!line.empty()) {
      auto size = line.size();
      if (size > kMostWidth) {
        size = line.rfind(' ', kMostWidth);
        if (size == std::string_view::npos || size == 0)
          size = std::min(line.find(' '), line.size());
      }
      out += fmt::format("# {}\n", line.substr(0, size));
      line.remove_prefix(std::min(size + 1, line.size()));
    }
  }
  return out;
}

/// A value in one line of TOML; what is null is an empty text.
std::string inline_toml(const nlohmann::json& value) {
  if (value.is_array())
    return fmt::format("[{}]",
                       joined(value, ", ", [](const auto& one) { return inline_toml(one); }));
  if (value.is_object())
    return fmt::format("{{ {} }}", joined(value.items(), ", ", [](const auto& one) {
                         return toml_quoted(one.key()) + " = " + inline_toml(one.value());
                       }));
  if (value.is_string()) return toml_quoted(value.get<std::string>());
  return value.is_null() ? "\"\"" : value.dump();
}

std::string entry_text(const CourseEntry& entry, const SheetOptions& options, LessonRuns& runs) {
  const std::string& id = entry.question != nullptr ? entry.question->id : entry.coding->id;
  std::string out = commented(fmt::format("{} ({})", entry.title, points_text(entry.points)));
  const std::string name = entry.lesson->slug + "/" + id;
  const std::string key = toml_quoted(name);
  if (entry.question == nullptr)
    return out + commented("To be programmed: hand in the file itself.") +
           fmt::format("# {} = \"\"\n", key);
  const Question& question = *entry.question;
  const Variant variant = variant_of(question, options.seed);
  out += commented(markdown_plain(fill_in(question.prompt, variant.values)));
  if (question.kind == nullptr) return out + key + " = \"\"\n";
  runs.know(entry.lesson->runs);
  try {
    const AnswerForm form = question.kind->form(question, variant, runs);
    char letter = 'a';
    for (const std::string& option : form.options())
      out += commented(fmt::format("  {}) {}", letter++, option));
    out += commented(form.example.empty() ? fmt::format("Write {}.", form.how)
                                          : fmt::format("Write {}; for example: {}", form.how,
                                                        toml_quoted(form.example)));
  } catch (const UserError& error) {
    out += commented(error.what());
  }
  if (const auto given = options.answers.find(name); given != options.answers.end())
    return out + fmt::format("{} = {}\n", key, inline_toml(given->second));
  return out + key + (question.kind->marked_by_hand() ? " = \"\"\"\n\"\"\"\n" : " = \"\"\n");
}

}  // namespace

std::string answer_sheet(const std::vector<CourseEntry>& entries, const SheetOptions& options,
                         LessonRuns& runs) {
  std::string out =
      "# Answer sheet. Write each answer between the quotes; leave what you do not answer as it "
      "is.\n";
  out += fmt::format("course = {}\nstudent = {}\nseed = {}\n\n[answers]\n",
                     toml_quoted(options.course), toml_quoted(options.student), options.seed);
  std::string part;
  for (const CourseEntry& entry : entries) {
    if (entry.heading != part)
      out += fmt::format("\n# {}\n{}", std::string(kMostWidth, '-'), commented(entry.heading));
    part = entry.heading;
    out += "\n" + entry_text(entry, options, runs);
  }
  return out;
}

}  // namespace rankscope
