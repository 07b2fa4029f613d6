// Training without the window: settings, a start, logs that grow, a stop, and what went wrong.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "gui/state/training/training_results.h"
#include "tests/gui_state/driven.h"
#include "tests/support/idx_pictures.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

namespace fs = std::filesystem;

/// A few pictures, so that a run takes a moment only; nobody can learn them.
void take_pictures(Driven& driven) {
  const std::string folder = driven.home / "pictures";
  write_random_pictures(folder, 64, 32);
  REQUIRE(driven.does("training data " + quoted(folder)));
  for (const char* line : {"training np 1,2", "training batch 4", "training every 5",
                           "training most 20", "training goal 1"})
    REQUIRE(driven.does(line));
}

bool training_ends(Driven& driven, const std::string& how) {
  // Its results are read once more after its end.
  return driven.until([&] { return driven.value("training") == how && !driven.app.animating(); });
}

std::string stand_in(const std::string& file, const std::string& body) {
  std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
  fs::permissions(file, fs::perms::owner_all);
  return file;
}

training::TrainingMoment moment(std::int64_t iteration, std::int64_t right) {
  training::TrainingMoment out;
  out.iteration = iteration;
  out.right = right;
  out.pictures = 100;
  return out;
}

}  // namespace

TEST_CASE("training: settings that make no sense are refused", "[gui_state]") {
  Driven driven;
  const auto refused = [&](const std::string& line, const char* because) {
    CHECK_FALSE(driven.does(line));
    CHECK_THAT(driven.message(), ContainsSubstring(because));
  };
  refused("training colour red", "a training has no \"colour\": np, seeds");
  refused("training batch many", "not a number");
  for (const char* number : {"-1", "nan", "inf", "1e20"})
    refused(fmt::format("training seeds {}", number), "seeds is 0 to");
  refused("training average both", "parameters|gradients|gossip");
  refused("training scale-step perhaps", "on, off or toggle");
  refused("stop-training", "nothing is being trained");
  refused("training-folder " + quoted(driven.home / "nothing"), "no folder of a training");
  CHECK(driven.does("training scale-step on"));
  CHECK(driven.app.state().training.values[training_field("scale-step")] == "on");
}

TEST_CASE("training: pictures that are missing are said before anything starts", "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does("training data " + quoted(driven.home / "nothing")));
  CHECK_FALSE(driven.does("train"));
  CHECK(driven.value("training") == "failed");
  CHECK_THAT(driven.value("training.problem"), ContainsSubstring("there is no folder"));
  CHECK(driven.app.state().training.no_pictures);
  CHECK(driven.value("view.main") == "training");  // which shows it
  CHECK(children().empty());
  REQUIRE(driven.does("training data mnist"));
  CHECK(driven.value("training.problem").empty());
}

TEST_CASE("training: it is watched while it runs, and more of it goes on in its folder",
          "[gui_state]") {
  Driven driven;
  take_pictures(driven);
  REQUIRE(driven.does("train"));
  CHECK(driven.value("training") == "running");
  CHECK_FALSE(driven.does("train"));
  REQUIRE(training_ends(driven, "done"));
  INFO(driven.value("training.problem"));
  CHECK(driven.value("training.done") == "2");
  CHECK(driven.value("training.looks") == "8");  // 20 iterations, after every 5, of two runs
  const std::string folder = driven.value("training.folder");
  CHECK_THAT(folder, ContainsSubstring("batch4"));
  CHECK(folder.starts_with(driven.home / "data"));
  const auto results = driven.app.state().training.results;
  CHECK(results->goal == 1);
  CHECK(results->earlier == std::vector{folder});
  // World sizes and seeds are no other training.
  REQUIRE(driven.does("training np 1,2,4"));
  REQUIRE(driven.does("train"));
  REQUIRE(training_ends(driven, "done"));
  CHECK(driven.value("training.folder") == folder);
  CHECK(driven.value("training.done") == "3");
  CHECK(driven.app.state().training.results_id > 1);
  CHECK(children().empty());
}

TEST_CASE("training: it can be stopped, goes on later, and ends with the application",
          "[gui_state]") {
  Driven driven;
  take_pictures(driven);
  REQUIRE(driven.does("training most 1000000"));
  REQUIRE(driven.does("train"));
  REQUIRE(driven.until([&] { return driven.value("training.looks") > "0"; }));
  CHECK_THAT(driven.value("training.progress"), ContainsSubstring("run 1 of 2: N = 1, seed 1"));
  REQUIRE(driven.does("training-folder " + quoted(driven.value("training.folder"))));
  CHECK(driven.value("training") == "running");  // its own folder changes nothing
  REQUIRE(driven.does("stop-training"));
  REQUIRE(training_ends(driven, "stopped"));
  CHECK(driven.value("training.problem").empty());
  CHECK(children().empty());
  {
    App other({.worker_program = rankscope_binary().string(), .remember = false});
    const std::string folder = driven.value("training.folder");
    REQUIRE(other.execute(parse_command("training-folder " + quoted(folder))));
    REQUIRE(eventually([&] {
      other.update(0.005);
      return other.value_of("training.folder") == folder;
    }));
    CHECK(other.value_of("training.looks") > "0");
    REQUIRE(other.execute(parse_command("training data " + quoted(driven.home / "pictures"))));
    REQUIRE(other.execute(parse_command("train")));
  }
  CHECK(children().empty());
}

TEST_CASE("training: why it failed is said in words", "[gui_state]") {
  const OwnHome home;
  write_random_pictures(home / "pictures", 8, 8);
  const auto problem_of = [&](const std::string& body) {
    App app({.worker_program = stand_in(home / "command", body), .remember = false});
    REQUIRE(app.execute(parse_command("training data " + quoted(home / "pictures"))));
    REQUIRE(app.execute(parse_command("train")));
    REQUIRE(eventually([&] {
      app.update(0.005);
      return app.value_of("training") == "failed";
    }));
    return app.value_of("training.problem");
  };
  CHECK(
      problem_of(
          R"(echo '{"error": {"message": "no room", "hint": "Delete something"}}' >&2; exit 2)") ==
      "no room. Delete something");
  CHECK(problem_of("echo rank 2 was lost >&2; exit 1") == "rank 2 was lost\n");
  CHECK(problem_of("exit 7") == "the training ended with code 7 and said nothing");
}

TEST_CASE("training: how far it is, and how long it will take", "[gui_state]") {
  TrainingResults results;
  TrainingPace pace;
  pace.sizes = {1, 2};
  pace.seeds = 2;
  pace.most = 1000;
  pace.elapsed_s = 10;
  auto progress = training_progress(results, pace);
  CHECK(progress.words == "run 1 of 4");
  CHECK(progress.share == 0);
  CHECK_FALSE(progress.left_s);  // nothing is known yet
  results.runs = {{1, 1, {moment(100, 42), moment(200, 84)}}};
  results.done = {false};
  progress = training_progress(results, pace);
  CHECK(progress.words == "run 1 of 4: N = 1, seed 1, iteration 200, 84.0 % right");
  CHECK(progress.share == 0.2 / 4);
  // One run took 30 s; the second one goes on for 10 s.
  results.done = {true};
  results.runs.push_back({1, 2, {moment(100, 50)}});
  results.done.push_back(false);
  pace.elapsed_s = 40;
  pace.last_done_s = 30;
  progress = training_progress(results, pace);
  CHECK(progress.words == "run 2 of 4: N = 1, seed 2, iteration 100, 50.0 % right");
  CHECK(progress.left_s == 3 * 30 - 10);
  // A run that was done before it was started says nothing of the pace.
  pace.done_before = 1;
  CHECK_FALSE(training_progress(results, pace).left_s);
  // Other world sizes and seeds are not of this start.
  results.runs.push_back({8, 1, {}});
  results.done.push_back(true);
  CHECK(training_progress(results, pace).words.starts_with("run 2 of 4"));
  CHECK(time_left(3) == "about 5 s left");
  CHECK(time_left(61) == "about 2 min left");
  CHECK(time_left(9000) == "about 2.5 h left");
}

TEST_CASE("training: what lies beside the logs, and half lines, are passed over", "[gui_state]") {
  const OwnHome home;
  const fs::path folder = home / "t";
  fs::create_directories(folder);
  std::ofstream(folder / "settings.json") << "not json";
  std::ofstream(folder / "np2-seed1.jsonl") << training::line_of(moment(10, 7)) << "{\"itera";
  std::ofstream(folder / "npx-seed1.jsonl") << "?";
  std::ofstream(folder / "np4-seed.jsonl") << "?";
  std::ofstream(folder / "np2-seed1.done");
  const TrainingResults results = read_training(folder.string());
  CHECK(results.goal == 0);
  REQUIRE(results.runs.size() == 1);
  CHECK(results.runs[0].ranks == 2);
  CHECK(results.runs[0].log.size() == 1);
  CHECK(results.finished().size() == 1);
  CHECK(read_training(home / "nothing").runs.empty());
  CHECK(results == read_training(folder.string()));
}

TEST_CASE("training: a log of another version is said to be left out", "[gui_state]") {
  Driven driven;
  const fs::path folder = driven.home / "t";
  fs::create_directories(folder);
  std::ofstream(folder / "settings.json") << "{}";
  std::ofstream(folder / "np1-seed1.jsonl") << training::line_of(moment(10, 7));
  std::ofstream(folder / "np2-seed1.jsonl") << "{\"epoch\":1,\"loss\":0.5}\n";
  REQUIRE(driven.does("training-folder " + quoted(folder.string())));
  REQUIRE(driven.until([&] { return driven.value("training.unread") == "1"; }));
  CHECK_THAT(driven.message(), ContainsSubstring("np2-seed1.jsonl is of another version"));
  CHECK(driven.app.state().message_is_error);
  CHECK(driven.value("training.looks") == "1");  // the other one is there
}
