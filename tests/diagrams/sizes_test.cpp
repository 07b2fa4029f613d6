// Pages of a given size: either everything on them can be read, or the user reads the least size.
#include <cstdio>
#include <utility>

#include "engine/core/base/error.h"
#include "engine/diagrams/grid/buffer_grid.h"
#include "engine/diagrams/spacetime/overview.h"
#include "engine/diagrams/spacetime/spacetime.h"
#include "tests/diagrams/scenes.h"
#include "tests/support/job_traces.h"

using namespace rankscope;
using test::check_readable;
using test::trace_of_algorithm;

namespace {

using Size = std::pair<double, double>;

constexpr Size kSizes[] = {{320, 180},  {1280, 160}, {200, 200},  {4000, 100}, {160, 160},
                           {160, 2000}, {400, 300},  {1280, 720}, {1280, 232}, {32000, 160},
                           {640, 330},  {250, 640},  {340, 0},    {0, 240}};

/// The size that an error asks for.
Size wanted(const std::string& message) {
  Size size;
  const auto at = message.find("at least ");
  REQUIRE(at != std::string::npos);
  REQUIRE(std::sscanf(message.c_str() + at, "at least %lf x %lf", &size.first, &size.second) == 2);
  return size;
}

/// Draws, or is refused; then draws with the size that the refusal asks for, and larger by itself.
template <class Draw>
void check_sizes(SpacetimeOptions options, const Draw& draw) {
  for (const auto& [width, height] : kSizes) {
    CAPTURE(width, height, options.portrait, options.text_scale, options.clock);
    options.width = width;
    options.height = height;
    try {
      check_readable(draw(options));
    } catch (const UserError& error) {
      const Size least = wanted(error.what());
      SpacetimeOptions roomy = options;
      roomy.may_grow = true;
      const Scene grown = draw(roomy);
      check_readable(grown);
      CHECK((grown.width >= least.first && grown.height >= least.second));
      if (width > 0 && height > 0)  // whole pixels
        CHECK(grown.width / grown.height == Approx(width / height).epsilon(0.005));
      CHECK((least.first > width || least.second > height));
      if (width > 0) options.width = std::max(width, least.first);
      if (height > 0) options.height = std::max(height, least.second);
      check_readable(draw(options));
    }
  }
}

}  // namespace

TEST_CASE("time-vs-rank diagrams of any size can be read or are refused", "[diagrams]") {
  const std::pair<const char*, int> runs[] = {
      {"allreduce.ring", 16},         {"allreduce.rabenseifner", 5}, {"alltoall.pairwise", 8},
      {"allreduce.hierarchical", 32}, {"broadcast.binomial", 64},    {"p2p.ping", 2}};
  for (const auto& [name, ranks] : runs) {
    const TraceAnalysis trace(trace_of_algorithm(name, ranks));
    CAPTURE(name, ranks);
    for (const auto clock : {SpacetimeOptions::Clock::rounds, SpacetimeOptions::Clock::measured})
      for (const bool portrait : {false, true})
        for (const double scale : {1.0, 0.7}) {
          SpacetimeOptions options;
          options.clock = clock;
          options.portrait = portrait;
          options.text_scale = scale;
          options.labels = SpacetimeOptions::Labels::all;
          check_sizes(options, [&](const SpacetimeOptions& with) {
            return spacetime(trace, with, system_ruler());
          });
        }
  }
}

TEST_CASE("overviews of any size can be read or are refused", "[diagrams]") {
  for (const int ranks : {3, 70, 100}) {
    CAPTURE(ranks);
    const TraceAnalysis trace(trace_of_algorithm("allreduce.ring", ranks, 1));
    check_sizes(
        {}, [&](const SpacetimeOptions& with) { return overview(trace, with, system_ruler()); });
  }
}

TEST_CASE("grids of any width can be read", "[diagrams]") {
  for (const char* name : {"allreduce.ring", "alltoall.pairwise", "allgather.ring"})
    for (const int ranks : {4, 16}) {
      const TraceAnalysis trace(trace_of_algorithm(name, ranks));
      for (const double width : {160, 200, 320, 1280, 4000})
        for (const auto show :
             {BufferGridOptions::Show::contributions, BufferGridOptions::Show::values}) {
          CAPTURE(name, ranks, width);
          BufferGridOptions options;
          options.width = width;
          options.show = show;
          options.round = 1;
          options.in_flight = true;
          check_readable(buffer_grid(trace, options, system_ruler()));
          BufferStripOptions strip;
          strip.grid = options;
          check_readable(buffer_strip(trace, strip, system_ruler()));
        }
    }
}

TEST_CASE("a text is cut between characters, and by no more than it must be", "[diagrams]") {
  const auto letters = [](std::string_view text) {
    double count = 0;
    for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return count;
  };
  CHECK(fitted_text("déjà vu", 7, letters) == "déjà vu");
  CHECK(fitted_text("déjà vu", 6, letters) == "déjà…");
  CHECK(fitted_text("déjà vu", 5, letters) == "déjà…");
  CHECK(fitted_text("déjà vu", 4, letters) == "déj…");
  CHECK(fitted_text("ранг два", 4, letters) == "ран…");
  CHECK(fitted_text("xé", 1, letters).empty());
}
