// A step with overlap without the window: sliders, the closed form, a real step and what its trace says.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "gui/state/training/overlap_forecast.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

namespace fs = std::filesystem;

OverlapValues values_with(std::initializer_list<std::pair<std::string_view, double>> changes) {
  OverlapValues out = first_overlap_values();
  for (const auto& [key, value] : changes) out[overlap_field(key)] = value;
  return out;
}

}  // namespace

TEST_CASE("overlap: settings that make no sense are refused", "[gui_state]") {
  Driven driven;
  const auto refused = [&](const std::string& line, const char* because) {
    CHECK_FALSE(driven.does(line));
    CHECK_THAT(driven.message(), ContainsSubstring(because));
  };
  refused("overlap colour red", "no \"colour\": bucket, ranks, latency");
  refused("overlap bucket many", "bucket");
  refused("overlap bucket 2MiB", "bucket is 1 KiB to 1 MiB, not 2MiB");
  refused("overlap latency 0", "in microseconds");
  refused("overlap backward nan", "in milliseconds");
  refused("overlap ranks 2.5", "ranks is 2 to 32");
  refused("overlap growth 5", "growth is");
  refused("show-overlap measured", "no step has been measured");
  refused("show-overlap both", "closed-form or measured");
  refused("open-overlap", "no step has been measured");
  refused("stop-overlap", "no step with overlap is running");
  CHECK(driven.app.state().overlap.values == first_overlap_values());
}

TEST_CASE("overlap: what is shown follows each setting at once", "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does("overlap layers 4"));
  REQUIRE(driven.does("overlap growth 1"));
  REQUIRE(driven.does("overlap gradient 1MiB"));
  REQUIRE(driven.does("overlap backward 40"));
  REQUIRE(driven.does("overlap ranks 2"));
  REQUIRE(driven.does("overlap latency 1000"));
  REQUIRE(driven.does("overlap bandwidth 1MiB"));
  REQUIRE(driven.does("overlap bucket 256KiB"));
  // A bucket a layer: 2 (N-1) messages of 128 KiB, each 1 ms + 125 ms; the first one begins after 10 ms.
  CHECK(driven.value("overlap.apart") == "1 s");
  CHECK(driven.app.state().overlap.forecast.times_apart.total == 40'000'000 + 4 * 252'000'000);
  CHECK(driven.app.state().overlap.forecast.times.total == 10'000'000 + 4 * 252'000'000);
  CHECK(driven.app.state().overlap.forecast.times.exposed == 978'000'000);
  CHECK(driven.value("overlap.exposed") == "978 ms");
  CHECK(driven.app.state().overlap.forecast.best_bucket() == 256 * 1024);  // as smaller ones
  const auto before = driven.app.state().overlap.id;
  REQUIRE(driven.does("overlap bucket 1MiB"));
  CHECK(driven.value("overlap.bucket") == "1 MiB");
  CHECK(driven.app.state().overlap.id != before);
  const auto& forecast = driven.app.state().overlap.forecast;
  // One bucket is full when the backward pass is over: nothing is hidden.
  CHECK(forecast.overlapped.communicating.size() == 1);
  CHECK(forecast.times.exposed == forecast.times_apart.exposed);
  CHECK(forecast.sizes.front().first == 1024);
  CHECK(forecast.sizes.back().first == 1024 * 1024);
  CHECK(forecast.sizes.back().second.total == forecast.times.total);
}

TEST_CASE("overlap: sliders have steps between their limits, and settings become layers",
          "[gui_state]") {
  for (const OverlapField& field : kOverlapFields) {
    INFO(field.key);
    const auto steps = slider_steps(field);
    CHECK(steps.front() == field.least);
    CHECK(steps.back() == field.most);
    CHECK(std::ranges::is_sorted(steps));
    CHECK(steps.size() < 70);
    CHECK(steps[static_cast<std::size_t>(nearest_step(steps, field.first))] == field.first);
    for (const double one : steps) CHECK(overlap_value_of(field, fmt::format("{}", one)) == one);
  }
  const auto run = overlap_run_of(values_with({{"layers", 3}, {"growth", 2}, {"gradient", 28672}}));
  REQUIRE(run.stack.size() == 3);
  CHECK(run.stack[0].bytes == 4096);
  CHECK(run.stack[2].bytes == 16384);
  CHECK(layers_text(overlap_run_of(values_with({{"layers", 1}}))) == "40000.0us:1048576");
  // The least and the largest of everything make a step, too.
  for (double OverlapField::*limit : {&OverlapField::least, &OverlapField::most}) {
    OverlapValues values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = kOverlapFields[i].*limit;
    CHECK(overlap_forecast(values).times.total > 0);
  }
}

TEST_CASE("overlap: a real step is run, measured and shown", "[gui_state]") {
  Driven driven;
  for (const char* line : {"overlap ranks 2", "overlap layers 3", "overlap backward 6",
                           "overlap latency 400", "overlap bucket 16KiB"})
    REQUIRE(driven.does(line));
  REQUIRE(driven.does("run-overlap"));
  CHECK(driven.value("view.main") == "overlap");
  CHECK(driven.value("overlap") == "running");
  CHECK_FALSE(driven.does("run-overlap"));
  REQUIRE(driven.until([&] { return driven.value("overlap") != "running"; }));
  INFO(driven.value("overlap.problem"));
  REQUIRE(driven.value("overlap") == "done");
  CHECK(driven.value("overlap.shown") == "measured");
  const auto measured = driven.app.state().overlap.measured;
  REQUIRE(measured);
  CHECK(measured->same_bits);
  CHECK(measured->values == driven.app.state().overlap.values);
  CHECK(measured->apart.communicating.size() == 3);
  CHECK(measured->overlapped.communicating.size() == 3);
  CHECK(std::abs(measured->times.exposed - measured->closed_form) <= measured->slack);
  CHECK(driven.value("overlap.step") != "0 ns");
  // Another setting is another step: the closed form of it, until that one is run.
  REQUIRE(driven.does("overlap bucket 1KiB"));
  CHECK(driven.value("overlap.shown") == "closed-form");
  REQUIRE(driven.does("show-overlap measured"));
  CHECK(driven.value("overlap.shown") == "measured");
  REQUIRE(driven.does("open-overlap"));
  REQUIRE(driven.until([&] { return driven.value("algorithm") == "overlap"; }));
  CHECK(driven.app.state().settings.recent.empty());  // it is gone at the end
  CHECK(children().empty());
}

TEST_CASE("overlap: a step is stopped, and why one failed is said", "[gui_state]") {
  {
    Driven driven;
    REQUIRE(driven.does("overlap backward 1000"));
    REQUIRE(driven.does("overlap ranks 2"));
    REQUIRE(driven.does("run-overlap"));
    REQUIRE(driven.does("stop-overlap"));
    REQUIRE(driven.until([&] { return driven.value("overlap") == "stopped"; }));
    CHECK(children().empty());
    REQUIRE(driven.does("run-overlap"));  // and ends with the application
  }
  CHECK(children().empty());
  const OwnHome home;
  const std::string command = home / "command";
  std::ofstream(command) << "#!/bin/sh\necho rank 1 was lost >&2\nexit 1\n";
  fs::permissions(command, fs::perms::owner_all);
  App app({.worker_program = command, .remember = false});
  REQUIRE(app.execute(parse_command("run-overlap")));
  REQUIRE(eventually([&] {
    app.update(0.005);
    return app.value_of("overlap") == "failed";
  }));
  CHECK_THAT(app.value_of("overlap.problem"), ContainsSubstring("rank 1 was lost"));
}
