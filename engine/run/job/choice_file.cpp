// Reads and writes choice tables as JSON.
#include "engine/run/job/choice_file.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/new_file.h"
#include "engine/core/base/whole_file.h"

namespace rankscope {

using nlohmann::ordered_json;

std::string to_json(const ChoiceTable& table) {
  std::string text = "{\"rules\": [\n";
  for (std::size_t i = 0; i < table.rules().size(); ++i) {
    const ChoiceRule& rule = table.rules()[i];
    ordered_json entry = {
        {"collective", rule.collective}, {"transport", rule.transport}, {"np", rule.np}};
    if (rule.up_to != ChoiceRule::kNoLimit) entry["up_to"] = rule.up_to;
    entry["algorithm"] = rule.algorithm;
    text += "  " + dump_json(entry) + (i + 1 < table.rules().size() ? ",\n" : "\n");
  }
  return text + "]}\n";
}

ChoiceTable choice_table_from_json(std::string_view text) {
  std::vector<ChoiceRule> rules;
  try {
    const auto parsed = parse_json(text);
    for (const auto& entry : parsed.at("rules"))
      rules.push_back({entry.at("collective").get<std::string>(),
                       entry.at("transport").get<std::string>(), entry.at("np").get<int>(),
                       entry.value("up_to", ChoiceRule::kNoLimit),
                       entry.at("algorithm").get<std::string>()});
  } catch (const nlohmann::json::exception&) {
    throw UserError("this is no table of choices: `rankscope profile ... --fit FILE` writes one");
  }
  return ChoiceTable(std::move(rules));
}

std::optional<ChoiceTable> read_choice_file(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  return choice_table_from_json(read_or_nothing(file));
}

void write_choice_file(const std::string& file, const ChoiceTable& table) {
  std::error_code ignored;
  const auto folder = std::filesystem::path(file).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  write_whole(file, to_json(table));
}

}  // namespace rankscope
