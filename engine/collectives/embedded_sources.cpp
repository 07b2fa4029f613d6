// Finds an embedded source file by stem, name or path.
#include "engine/collectives/embedded_sources.h"

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

}  // namespace

const EmbeddedSource* find_embedded_source(std::string_view file_stem_or_name) {
  const bool is_path = file_stem_or_name.find('/') != std::string_view::npos;
  const auto matches = [&](const EmbeddedSource& source) {
    if (is_path) return file_stem_or_name.ends_with(source.file);
    return file_stem_or_name == name_of(source.file) || file_stem_or_name == stem_of(source.file);
  };
  const auto sources = embedded_sources();
  const auto found = ranges::find_if(sources, matches);
  return found == sources.end() ? nullptr : &*found;
}

}  // namespace rankscope
