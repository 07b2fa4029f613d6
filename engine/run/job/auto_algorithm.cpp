// Reads and writes choice tables, and replaces an automatic algorithm by the one that the table names for the job.
#include "engine/run/job/auto_algorithm.h"

#include <cstdint>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "transports/factory.h"

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
  constexpr std::uintmax_t kMost = 1 << 24;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  std::string fault;
  const std::string text = read_whole(file, kMost, fault);
  if (!fault.empty()) throw UserError(fmt::format("{} {}", file, fault));
  return choice_table_from_json(text);
}

void write_choice_file(const std::string& file, const ChoiceTable& table) {
  std::error_code ignored;
  const auto folder = std::filesystem::path(file).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  write_whole(file, to_json(table));
}

namespace {

// A broken file is ignored here; the command that reads it explicitly reports it.
const ChoiceTable& users_table() {
  static const ChoiceTable kTable = [] {
    ChoiceTable table = ChoiceTable::built_in();
    try {
      if (const auto own = read_choice_file(auto_choice_file())) table.merge(*own);
    } catch (const UserError&) {
    }
    return table;
  }();
  return kTable;
}

}  // namespace

std::optional<Collective> collective_of_auto(std::string_view algorithm) {
  for (const CollectiveTraits& one : collectives())
    if (algorithm == fmt::format("{}.auto", one.name) &&
        !ChoiceTable::built_in().choose(one.name, kDefaultTransport, 2, 0).empty())
      return one.collective;
  return std::nullopt;
}

JobSpec resolve_auto(JobSpec spec) { return resolve_auto(std::move(spec), users_table()); }

JobSpec resolve_auto(JobSpec spec, const ChoiceTable& table) {
  const auto wanted = collective_of_auto(spec.call.algorithm);
  if (!wanted) return spec;
  const std::string_view collective = to_string(*wanted);
  const auto bytes =
      bytes_of(*wanted, spec.input_shape().count(), spec.world.size, spec.call.dtype);
  std::string_view chosen = table.choose(collective, spec.transport.name, spec.world.size, bytes);
  if (find_algorithm(chosen) == nullptr)  // a file of another version
    chosen =
        ChoiceTable::built_in().choose(collective, spec.transport.name, spec.world.size, bytes);
  spec.call.algorithm = chosen;
  return spec;
}

std::uint64_t bytes_of(Collective collective, Count count, int n, DType dtype) noexcept {
  return static_cast<std::uint64_t>(count) * dtype_size(dtype) *
         static_cast<std::uint64_t>(traits(collective).counts_all_ranks() ? n : 1);
}

std::string auto_choice_file() { return user_config_file("auto.json"); }

std::string user_config_file(std::string_view name) {
  const auto config = user_folder("XDG_CONFIG_HOME", ".config");
  return config.empty() ? std::string() : (config / "rankscope" / name).string();
}

}  // namespace rankscope
