// Finds a source by stem, name, path or algorithm.
#include "engine/collectives/embedded_sources.h"

#include <string>

#include "engine/collectives/append_only.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0: a bare name stays whole
}

std::string_view stem_of(std::string_view path) {
  const std::string_view name = name_of(path);
  return name.substr(0, name.rfind('.'));
}

AppendOnly<EmbeddedSource>& sources() {
  static AppendOnly<EmbeddedSource> rows(built_in_sources());
  return rows;
}

}  // namespace

std::span<const EmbeddedSource> embedded_sources() { return sources().rows(); }

void add_source(const EmbeddedSource& source) { sources().add(source); }

const EmbeddedSource* source_of_algorithm(std::string_view name) {
  const auto all = embedded_sources();
  const auto own = ranges::find(all, name, &EmbeddedSource::algorithm);
  if (own != all.end()) return &*own;
  std::string stem(name);
  ranges::replace(stem, '.', '_');
  return find_embedded_source(stem);
}

const EmbeddedSource* find_embedded_source(std::string_view file_stem_or_name) {
  const bool is_path = file_stem_or_name.find('/') != std::string_view::npos;
  const auto matches = [&](const EmbeddedSource& source) {
    if (is_path) return file_stem_or_name.ends_with(source.file);
    return file_stem_or_name == name_of(source.file) || file_stem_or_name == stem_of(source.file);
  };
  const auto all = embedded_sources();
  const auto found = ranges::find_if(all, matches);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace rankscope
