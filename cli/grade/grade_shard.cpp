// Divides a class into parts.
#include "cli/grade/grade_shard.h"

#include <fmt/format.h>

#include "cli/sizes.h"
#include "engine/core/base/error.h"
#include "engine/core/base/text.h"

namespace rankscope::cli {

std::optional<Shard> shard_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  constexpr int kMostShards = 100'000;
  const auto slash = text.find('/');
  if (slash == std::string::npos)
    throw UserError(
        fmt::format("--shard: '{}' is no part such as 3/8, the third of eight", escaped(text)));
  Shard out;
  out.of =
      static_cast<int>(parse_integer(text.substr(slash + 1), "--shard I/N: N", 1, kMostShards));
  out.number = static_cast<int>(parse_integer(text.substr(0, slash), "--shard I/N: I", 1, out.of));
  return out;
}

void Shard::keep_own(std::vector<SubmissionHead>& heads) const {
  std::vector<SubmissionHead> own;
  for (std::size_t i = static_cast<std::size_t>(number) - 1; i < heads.size();
       i += static_cast<std::size_t>(of))
    own.push_back(std::move(heads[i]));
  heads = std::move(own);
}

}  // namespace rankscope::cli
