// What launchers (torchrun, mpirun, srun) tell a process of its rank.
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/run/worker/worker.h"

namespace rankscope {
namespace {

std::optional<int> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  const std::string_view view(text);
  int number = 0;
  const auto [stop, error] = std::from_chars(view.data(), view.data() + view.size(), number);
  if (error != std::errc() || stop != view.data() + view.size() || number < 0)
    throw UserError(
        fmt::format("{} should be a rank or a number of ranks, not '{}'", variable, text));
  return number;
}

}  // namespace

RankAndSize rank_from_environment() {
  // Slurm comes last: it sets its variables also for the one process that runs mpirun.
  static constexpr std::pair<const char*, const char*> kPairs[] = {
      {"RANK", "WORLD_SIZE"},
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMIX_RANK", "PMIX_SIZE"},
      {"PMI_RANK", "PMI_SIZE"},
      {"SLURM_PROCID", "SLURM_NTASKS"}};
  for (const auto& [rank, size] : kPairs)
    if (const auto number = number_in(rank)) return {*number, number_in(size).value_or(-1)};
  return {};
}

}  // namespace rankscope
