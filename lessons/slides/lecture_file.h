// A lecture: scenes one after the other, each with everything it needs, as a TOML file (NAME.lecture.toml).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/run/job/job.h"
#include "engine/toml/complaints.h"

namespace rankscope {

/// A moment of a scene's run: "start", "round 2" (two rounds are over; also "round 2.5"), "12.5 us", "end".
struct SceneMoment {
  enum class Is : std::uint8_t { start, round, time, end };
  Is is = Is::start;
  double value = 0;  ///< Rounds that are over, or microseconds.
  bool operator==(const SceneMoment&) const = default;
};
std::optional<SceneMoment> scene_moment(std::string_view text);
std::string to_text(const SceneMoment& moment);

/// A run of a scene: a job with the fields of a lesson's run, a program, or a recorded trace.
struct SceneRun {
  enum class Is : std::uint8_t { none, job, program, trace };
  Is is = Is::none;
  nlohmann::json written;      ///< The table as the file has it.
  JobSpec job;                 ///< The whole job; for a program only its number of ranks.
  std::filesystem::path file;  ///< The program or the trace.
  std::string as;              ///< The collective that the program's result is compared with.
  int line = 0;
};

/// A place at which the clicker stops, with what changes there.
struct SceneStop {
  SceneMoment at;
  std::vector<std::string>
      commands;  ///< Commands of the application that change the look, not the run.
};

struct SceneQuestion {
  std::string text;
  std::vector<std::string> options;
  std::string answer;  ///< The right one of the options; empty if the file does not say.
  /// The round, or the moment, that is asked about; the question stands at the last stop before it.
  SceneMoment before{SceneMoment::Is::round, 1};
  std::optional<SceneMoment>
      answered;  ///< The moment from which the answer shows; unset: the next step.
};

struct LectureScene {
  std::string title, notes;
  double minutes = 0;
  SceneRun run, beside;
  bool held = false;  ///< Whether its processes wait for the clicker before each round.
  /// Commands, to held processes or for their look, that the clicker's first presses give; later presses release rounds.
  std::vector<std::string> orders;
  std::vector<std::string> race;  ///< Algorithms that run the same job on one clock.
  std::string view = "stage", clock, curtain = "on";
  SceneMoment at;  ///< Where the scene begins.
  std::vector<std::string> commands;
  std::vector<SceneStop> stops;  ///< If empty, the clicker stops after every step.
  std::optional<SceneQuestion> question;
  int line = 0;
};

struct Lecture {
  std::string title, summary;
  std::vector<LectureScene> scenes;
  std::filesystem::path file;

  double minutes() const noexcept;
};

/// Commands of the application that move held processes, and those with which a scene changes how its run looks.
inline constexpr std::array<std::string_view, 5> kSceneOrders = {
    "release", "step-rank", "release-round", "kill", "gate-resume"};
inline constexpr std::array<std::string_view, 15> kSceneLooks = {
    "view",      "values",       "labels",        "portrait",  "critical-path",
    "narration", "select",       "pseudocode",    "fold-code", "zoom",
    "filter",    "who-can-move", "compare-clock", "clock",     "curtain"};
/// Returns whether the command, given as a line, moves held processes.
bool is_scene_order(std::string_view line);
/// Returns whether it changes how a run looks.
bool is_scene_look(std::string_view line);

inline constexpr int kLectureVersion = 1;
inline constexpr std::string_view kLectureEnding = ".lecture.toml";

/// Reads a lecture; nothing, and complaints with their lines, if anything is wrong.
std::optional<Lecture> read_lecture(const std::filesystem::path& file, Complaints& complaints);
/// Writes a lecture that read_lecture() reads as the same.
std::string lecture_text(const Lecture& lecture);

/// Returns a scene's run of this job: the fields that differ from the defaults of a lesson's run.
SceneRun scene_run_of(const JobSpec& job);

/// Returns the folder of the lectures that come with rankscope; empty without one.
std::filesystem::path lectures_folder();

}  // namespace rankscope
