// `rankscope glossary`: the words of the course.
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "lessons/course/course.h"
#include "lessons/course/glossary.h"

namespace rankscope::cli {
namespace {

using nlohmann::json;

json json_of(const GlossaryWord& word) {
  return {{"name", word.name},
          {"also", word.also},
          {"says", word.says},
          {"lesson", word.lesson},
          {"see", word.see}};
}

void print_word(const Console& console, const GlossaryWord& word) {
  std::string head = console.out().bold(word.name);
  if (!word.also.empty()) head += fmt::format(" ({})", fmt::join(word.also, ", "));
  console.print(head + "\n" + wrap("  " + word.says, console.width(), 2) + "\n");
  if (!word.see.empty()) console.print(fmt::format("  See also: {}\n", fmt::join(word.see, ", ")));
  console.print(fmt::format("  Lesson: rankscope lesson run {}\n", word.lesson));
}

int glossary(const Console& console, const std::string& name) {
  const auto content = lessons_folder() / "content";
  Complaints complaints;
  const auto words = read_glossary(content, complaints);
  if (!complaints.empty()) throw UserError(complaints.to_string());
  if (words.empty())
    throw UserError(fmt::format("there is no glossary.toml in {}: these lessons have no glossary",
                                content.string()));
  if (!name.empty()) {
    const GlossaryWord& word = glossary_word(words, name);
    if (console.json()) console.print_raw(json_text(json_of(word)));
    else print_word(console, word);
    return kOk;
  }
  if (console.json()) {
    json all = json::array();
    for (const GlossaryWord& word : words) all.push_back(json_of(word));
    console.print_raw(json_text(all));
    return kOk;
  }
  for (const GlossaryWord& word : words)
    console.print(
        wrap(fmt::format("{}: {}", console.out().bold(word.name), word.says), console.width(), 2) +
        "\n");
  console.note(
      fmt::format("{} words; `rankscope glossary WORD` names the lesson of one.", words.size()));
  return kOk;
}

Action define_glossary(OptionList app) {
  const auto name = std::make_shared<std::string>();
  app.add_option("WORD", "WORD", *name, "One word, or another form of it; without it, all of them");
  return [name](const Console& console) { return glossary(console, *name); };
}

}  // namespace

constinit const CommandEntry kGlossaryCommand{
    .name = "glossary",
    .group = kTeaching,
    .summary = "say what a word means, and which lesson introduces it",
    .details = "Without a word, all of them. Any form of a word is understood: ranks, algbw, β.",
    .examples =
        "rankscope glossary rendezvous\n"
        "rankscope glossary  # all words\n"
        "rankscope glossary \"bus bandwidth\" --json  # for a script",
    .define = define_glossary,
};

}  // namespace rankscope::cli
