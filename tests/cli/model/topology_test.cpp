// `rankscope topology`: what it says, writes and refuses.
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope;
using test::check_refused;
using test::has;
using test::run_rankscope;

TEST_CASE("cli: topology lists what is installed, and shows a route") {
  const auto list = run_rankscope({"topology", "list"});
  CHECK(list.exit_code == cli::kOk);
  for (const char* name :
       {"ring", "torus-3d", "fat-tree", "dragonfly", "puzzler-measured", "uniform"})
    CHECK(has(list.out, std::string("\n") + name + " "));
  CHECK(has(run_rankscope({"topology", "list", "--families"}).out, "ranks_per_router"));
  const auto shown = run_rankscope({"topology", "show", "puzzler", "--route", "0:2"});
  CHECK(has(shown.out, "diameter 3 links"));
  CHECK(has(shown.out, "gpu0 → socket0 → socket1 → gpu2"));
  CHECK(has(shown.out, "15.75 GB/s if nobody else uses its links"));
  const auto json = nlohmann::json::parse(
      run_rankscope({"topology", "show", "ring", "--route", "0:3", "--json"}).out);
  CHECK(json["ranks"] == 8);
  CHECK(json["bisection_bytes_per_s"] == 25e9);
  CHECK(json["route"]["nodes"] == nlohmann::json{"r0", "r1", "r2", "r3"});
}

TEST_CASE("cli: topology writes pictures, TOML and SimGrid's platforms") {
  const test::TemporaryFolder folder;
  const std::string svg = folder / "x.svg", xml = folder / "x.xml", toml = folder / "x.toml";
  const auto run = run_rankscope({"topology", "export", "hosts", "--picture", svg, "--theme",
                                  "dark", "--simgrid", xml, "--toml", toml});
  CHECK(run.exit_code == cli::kOk);
  CHECK(run.out.empty());
  for (const std::string& file : {svg, xml, toml}) CHECK(std::filesystem::file_size(file) > 100);
  CHECK(has(run_rankscope({"topology", "check", toml}).out, "16 ranks"));
}

TEST_CASE("cli: topology refuses bad files with their line, and leaves nothing behind") {
  const test::TemporaryFolder folder;
  const std::string bad = folder / "bad.toml", picture = folder / "x.png";
  std::ofstream(bad) << "node = [{name = \"a\"},\n {name = \"b\"}]\n";
  check_refused(run_rankscope({"topology", "check", bad, "--picture", picture}),
                "bad.toml:2: rank 0 ('a') cannot reach rank 1 ('b')");
  CHECK_FALSE(std::filesystem::exists(picture));
  check_refused(run_rankscope({"topology", "show", "torus2d"}), "did you mean 'torus-2d'");
  check_refused(run_rankscope({"topology", "show", "ring", "--route", "0:8"}), "--route");
  check_refused(run_rankscope({"topology", "draw", "ring"}),
                "'draw' is no action of `rankscope topology`: list, show, check, export");
  check_refused(run_rankscope({"topology", "show"}), "needs a topology");
  check_refused(run_rankscope({"topology", "export", "ring"}), "--simgrid FILE.xml");
  check_refused(run_rankscope({"topology", "show", "ring", "--picture", folder / "x.gif"}),
                ".svg, .pdf or .png");
  check_refused(run_rankscope({"topology", "show", "--nccl", bad}), "bad.toml:1:");
}
