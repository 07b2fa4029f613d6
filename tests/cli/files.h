// Texts, and files to export and to look into.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "engine/core/trace/trace_file.h"
#include "tests/support/runs.h"

namespace rankscope::test {

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
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
  meta.result_json = R"({"status":"ok"})";
  TraceWriter writer(path, meta);
  if (ranks > 0)
    for (auto& batch : record(ranks, ring_of(2 * ranks))) writer.deliver(std::move(batch));
  writer.close(meta);
}

inline std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace rankscope::test
