#include "engine/run/job/auto_algorithm.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/run/job/choice_file.h"
#include "engine/run/profile/profiler.h"
#include "transports/factory.h"

namespace rankscope {
namespace {

constexpr std::string_view kSuffix = ".auto";

// A file that is broken is told about by whoever reads it on purpose; here the built-in rules do.
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

bool is_auto(std::string_view algorithm) noexcept {
  if (!algorithm.ends_with(kSuffix)) return false;
  const auto collective = algorithm.substr(0, algorithm.size() - kSuffix.size());
  return !ChoiceTable::built_in().choose(collective, kDefaultTransport, 2, 0).empty();
}

JobSpec resolve_auto(JobSpec spec) { return resolve_auto(std::move(spec), users_table()); }

JobSpec resolve_auto(JobSpec spec, const ChoiceTable& table) {
  if (!is_auto(spec.algorithm)) return spec;
  const std::string collective(spec.algorithm.substr(0, spec.algorithm.size() - kSuffix.size()));
  const auto bytes = bytes_of(collective, spec.input_shape().count(), spec.world_size, spec.dtype);
  std::string_view chosen = table.choose(collective, spec.transport, spec.world_size, bytes);
  if (find_algorithm(chosen) == nullptr)  // a file of another version
    chosen = ChoiceTable::built_in().choose(collective, spec.transport, spec.world_size, bytes);
  spec.algorithm = chosen;
  return spec;
}

std::string auto_choice_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config == '/') return fmt::format("{}/rankscope/auto.json", config);
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? std::string()
                                          : fmt::format("{}/.config/rankscope/auto.json", home);
}

}  // namespace rankscope
