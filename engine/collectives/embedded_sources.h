// The source text of the algorithms, embedded in the binary when it was built.
#pragma once

#include <span>
#include <string_view>

namespace rankscope {

// The text of one file of engine/collectives, as it was when this binary was built.
struct EmbeddedSource {
  std::string_view file;  // from the repository's root: "engine/collectives/allreduce_ring.cpp"
  std::string_view text;  // the whole file
  std::string_view sha256_hex;  // of the whole file, 64 lower-case digits
};

// All of them, ordered by name.
std::span<const EmbeddedSource> embedded_sources();

// By stem ("allreduce_ring"), name ("allreduce_ring.cpp") or path (what std::source_location
// gives); nullptr when there is no such file.
const EmbeddedSource* find_embedded_source(std::string_view file_stem_or_name);

}  // namespace rankscope
