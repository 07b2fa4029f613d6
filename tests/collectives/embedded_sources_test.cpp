// The embedded sources equal the files on disk and are found by name.
#include "engine/collectives/embedded_sources.h"

#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/paths.h"

using rankscope::embedded_sources;
using rankscope::find_embedded_source;

TEST_CASE("embedded sources are the files on disk, byte for byte") {
  REQUIRE_FALSE(embedded_sources().empty());
  for (const auto& source : embedded_sources()) {
    CAPTURE(source.file);
    std::ifstream file(rankscope::test::source_root() / source.file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CHECK(source.text == text);
    CHECK(source.sha256_hex.size() == 64);
  }
}

TEST_CASE("an embedded source is found by stem, name and path") {
  const auto* by_stem = find_embedded_source("embedded_sources");
  REQUIRE(by_stem != nullptr);
  CHECK(by_stem->file == "engine/collectives/embedded_sources.cpp");
  CHECK(find_embedded_source("embedded_sources.cpp") == by_stem);
  CHECK(find_embedded_source("engine/collectives/embedded_sources.cpp") == by_stem);
  CHECK(find_embedded_source("/elsewhere/engine/collectives/embedded_sources.cpp") == by_stem);
  CHECK(find_embedded_source("elsewhere/embedded_sources.cpp") == nullptr);
  CHECK(find_embedded_source("embedded") == nullptr);
  CHECK(find_embedded_source("") == nullptr);
}
