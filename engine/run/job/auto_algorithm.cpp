// Replaces an automatic algorithm by the one that the choice table names for the job.
#include "engine/run/job/auto_algorithm.h"

#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/user_folder.h"
#include "engine/run/job/choice_file.h"
#include "transports/factory.h"

namespace rankscope {
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
