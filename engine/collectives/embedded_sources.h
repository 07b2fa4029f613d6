// The source text of the algorithms: the built-in ones' is embedded in the binary when it is built, a plug-in's in the
// plug-in.
#pragma once

#include <span>
#include <string_view>

namespace rankscope {

// The text of one file, as it was compiled.
struct EmbeddedSource {
  std::string_view file;  // from the repository's root: "engine/collectives/allreduce_ring.cpp"
  std::string_view text;  // the whole file
  std::string_view sha256_hex;  // of the whole file, 64 lower-case digits; empty for a plug-in's
  std::string_view algorithm = {};  // of a plug-in: which one it is
};

// All of them: the built-in ones ordered by name, then those of plug-ins.
std::span<const EmbeddedSource> embedded_sources();
// The generated table of the built-in ones.
std::span<const EmbeddedSource> built_in_sources();

// By stem ("allreduce_ring"), name ("allreduce_ring.cpp") or path (what std::source_location
// gives); nullptr when there is no such file.
const EmbeddedSource* find_embedded_source(std::string_view file_stem_or_name);
// By the algorithm's name: "allreduce.ring"; nullptr when there is none.
const EmbeddedSource* source_of_algorithm(std::string_view name);

// Adds a plug-in's source, whose texts must stay. Call it from one thread at a time.
void add_source(const EmbeddedSource& source);

}  // namespace rankscope
