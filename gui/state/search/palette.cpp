// Searches commands, layouts, views, samples and sentences.
#include "gui/state/search/palette.h"

#include <exception>
#include <optional>
#include <utility>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "gui/state/command/commands.h"
#include "gui/state/files/samples.h"
#include "gui/state/files/settings.h"
#include "gui/state/run/job_changes.h"
#include "gui/state/run/sentence.h"

namespace rankscope::gui {
namespace {

bool holds(std::string_view text, const std::string& part) {
  return ascii_lower(text).find(part) != std::string::npos;
}

// Returns a line for a sentence such as "ring 16" or "slow rank", if the text is one.
std::optional<PaletteLine> line_of_question(const Settings& settings, const WhatIfRun& asked,
                                            const std::string& typed) {
  try {
    const ParsedJob parsed = parse_what_if(asked, settings.job, typed);
    const JobSpec& job = parsed.job;
    if (job == settings.job) return std::nullopt;
    // The words begin with a command's name, so they are no question.
    const auto* const info =
        parsed.reading.empty() ? nullptr : find_command_info(typed.substr(0, typed.find(' ')));
    if (info != nullptr) return std::nullopt;
    return PaletteLine{"say " + typed, sentence_text(job), "", parse_command("say " + typed), true};
  } catch (const std::exception&) {  // it is no sentence
    return std::nullopt;
  }
}

// Returns how well a command fits (0 is best), or nothing if it does not.
std::optional<int> rank_of(const CommandInfo& info, const std::string& typed,
                           const std::string& name) {
  const bool has_words = typed.find(' ') != std::string::npos;
  if (info.name == name) return 0;
  if (!has_words && info.name.starts_with(name)) return name.empty() ? 0 : 1;
  if (!has_words && holds(info.name, name)) return 2;
  if (holds(info.common.words, typed)) return 3;
  if (holds(info.summary, typed)) return 4;
  return std::nullopt;
}

}  // namespace

std::vector<PaletteLine> palette_lines(const Settings& settings, const WhatIfRun& asked,
                                       const std::string& typed) {
  const std::string lower = ascii_lower(typed), name = lower.substr(0, lower.find(' '));
  std::vector<std::pair<int, PaletteLine>> ranked;
  for (const CommandInfo* info : command_infos())
    if (const auto rank = rank_of(*info, lower, name))
      ranked.push_back({*rank,
                        {std::string(info->usage), std::string(info->summary),
                         std::string(info->shortcut), Command(*info), false}});
  ranges::stable_sort(ranked, {}, &std::pair<int, PaletteLine>::first);
  std::vector<PaletteLine> found;
  for (auto& [rank, line] : ranked) found.push_back(std::move(line));
  std::vector<PaletteLine> whole;
  const auto add = [&](Command command, std::string_view summary) {
    const auto text = command.text();
    if (!name.empty() && text != typed && holds(text, lower))
      whole.push_back({text, std::string(summary), "", std::move(command), true});
  };
  for (const auto& one : layouts_of(settings)) add(cmd::layout(one.name), "Arranges the window");
  for (const auto& one : kViews) add(cmd::view(Slot::main, one.name), one.summary);
  for (const auto& one : samples()) add(cmd::sample(one.name), one.what);
  if (auto parsed = line_of_question(settings, asked, typed)) whole.push_back(std::move(*parsed));
  for (const std::string& text : with_topologies(typed))
    if (auto parsed = line_of_question(settings, asked, text)) whole.push_back(std::move(*parsed));
  // Once words are typed, whole commands come first: Enter takes the first line.
  const bool has_words = typed.find(' ') != std::string::npos;
  found.insert(has_words ? found.begin() : found.end(), whole.begin(), whole.end());
  return found;
}

}  // namespace rankscope::gui
