// Texts, and files to export and to look into.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "engine/core/trace/trace_file.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"
#include "tests/support/runs.h"

namespace rankscope::test {

/// The command refused what was typed, and its error says all of this.
template <class... Says>
void check_refused(const Finished& run, const Says&... says) {
  INFO(run.out << run.err);
  CHECK(run.exit_code == cli::kBadInput);
  for (const std::string_view one : {std::string_view(says)...}) CHECK(has(run.err, one));
}

/// "run allreduce.ring -n 2": its words.
inline std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

inline std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The trace of a ring allreduce; of 0 ranks: an empty one.
inline void write_ring(const std::string& path, int ranks = 3) {
  TraceMeta meta;
  meta.world_size = ranks;
  meta.algorithm = "allreduce.ring";
  meta.outcome.emplace().status = JobResult::Status::ok;
  TraceWriter writer(path, meta);
  if (ranks > 0)
    for (auto& batch : record(ranks, ring_of(2 * ranks))) writer.deliver(std::move(batch));
  writer.close(meta);
}

inline std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace rankscope::test
