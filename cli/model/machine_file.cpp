// Reads and writes fitted machines as JSON.
#include "cli/model/machine_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/run/job/auto_algorithm.h"

namespace rankscope::cli {
namespace {

nlohmann::ordered_json json_of(const FittedMachine& one) {
  nlohmann::ordered_json json = {{"host", one.host},
                                 {"processors", one.processors},
                                 {"transport", one.transport},
                                 {"ranks", one.ranks},
                                 {"cache_bytes", one.costs.cache_bytes}};
  for (std::size_t k = 0; k < kMachineTerms; ++k)
    json["seconds"][kMachineTermRows[k].name] = one.costs.seconds[k];
  return json;
}

FittedMachine machine_of(const nlohmann::json& json) {
  FittedMachine one{.host = json.at("host").get<std::string>(),
                    .processors = json.at("processors").get<int>(),
                    .transport = json.at("transport").get<std::string>(),
                    .ranks = json.at("ranks").get<int>(),
                    .costs = {}};
  one.costs.cache_bytes = json.at("cache_bytes").get<double>();
  for (std::size_t k = 0; k < kMachineTerms; ++k)
    json.at("seconds").at(kMachineTermRows[k].name).get_to(one.costs.seconds[k]);
  return one;
}

bool same_setting(const FittedMachine& a, const FittedMachine& b) {
  return a.host == b.host && a.transport == b.transport && a.ranks == b.ranks;
}

}  // namespace

std::string to_json(const std::vector<FittedMachine>& machines) {
  nlohmann::ordered_json json;
  json["machines"] = nlohmann::ordered_json::array();
  for (const FittedMachine& one : machines) json["machines"].push_back(json_of(one));
  return dump_json(json, 2) + "\n";
}

std::vector<FittedMachine> machines_from_json(std::string_view text) {
  std::vector<FittedMachine> machines;
  try {
    const auto json = parse_json(text);
    for (const auto& one : json.at("machines"))
      if (one.contains("seconds") || !one.contains("alpha_s"))  // skips those of an earlier model
        machines.push_back(machine_of(one));
  } catch (const nlohmann::json::exception&) {
    throw UserError("this is no file of fitted machines: create one with `rankscope calibrate`");
  }
  return machines;
}

std::vector<FittedMachine> read_machine_file(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return {};
  std::string fault;
  const std::string text = read_whole(file, std::uintmax_t{1} << 24, fault);
  if (!fault.empty()) throw UserError(fmt::format("{} {}", file, fault));
  return machines_from_json(text);
}

void add_to_machine_file(const std::string& file, const std::vector<FittedMachine>& machines) {
  std::vector<FittedMachine> all = read_machine_file(file);
  std::erase_if(all, [&](const FittedMachine& old) {
    return ranges::any_of(machines, [&](const auto& one) { return same_setting(one, old); });
  });
  ranges::copy(machines, std::back_inserter(all));
  std::error_code ignored;
  const auto folder = std::filesystem::path(file).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  rankscope::write_whole(file, to_json(all));
}

std::string machine_file() { return user_config_file("machines.json"); }

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

int usable_processors() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace rankscope::cli
