// Reads and writes lectures.
#include "lessons/slides/lecture_file.h"

#include <concepts>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/run/job/job_fields.h"
#include "engine/toml/toml_source.h"
#include "engine/toml/toml_text.h"
#include "lessons/course/read_lesson.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t kMostScenes = 200, kMostStops = 500, kMostRacers = 4;
constexpr int kMostInWindow = 64;
constexpr double kMostMinutes = 600;

std::optional<double> number_of(std::string_view text) {
  const auto value = as_number<double>(text);
  return value && *value >= 0 && *value < 1e15 ? value : std::nullopt;
}

/// Compares moments that are known to lie one after the other; others count as in order.
bool comes_after(const SceneMoment& later, const SceneMoment& earlier) {
  using Is = SceneMoment::Is;
  if (earlier.is == Is::end) return later.is == Is::end;
  if (later.is == Is::start) return earlier.is == Is::start;
  return later.is != earlier.is || later.value >= earlier.value;
}

class LectureReader {
 public:
  LectureReader(fs::path file, Complaints& complaints)
      : file_(std::move(file)), complaints_(complaints) {}

  std::optional<Lecture> read() {
    const std::size_t before = complaints_.all().size();
    const auto source = read_toml(file_, file_.filename().string(), complaints_);
    if (!source) return std::nullopt;
    TomlNode root(source, complaints_);
    Lecture out;
    out.file = file_;
    if (!version(root)) return std::nullopt;
    out.title = root.required_text("title");
    out.summary = root.text("summary");
    TomlNode scenes = root.at("scene");
    if (!scenes) {
      root.complain("a lecture has scenes: begin each with [[scene]]");
    } else if (scenes.elements().size() > kMostScenes) {
      scenes.complain(fmt::format("a lecture has at most {} scenes", kMostScenes));
    } else {
      for (TomlNode& one : scenes.elements()) out.scenes.push_back(scene(one));
    }
    root.finish();
    if (complaints_.all().size() != before) return std::nullopt;
    return out;
  }

 private:
  /// Another version's keys would only be called unknown, so nothing else is read.
  bool version(TomlNode& root) {
    const int number = root.whole("lecture", 0);
    if (number == kLectureVersion) return true;
    TomlNode at = root.at("lecture");
    if (number > kLectureVersion)
      at.complain(
          fmt::format("this lecture is of version {}, and this rankscope reads version {}: "
                      "a newer release opens it",
                      number, kLectureVersion));
    else
      (at ? at : root)
          .complain(fmt::format("a lecture begins with the line: lecture = {}", kLectureVersion));
    return false;
  }

  LectureScene scene(TomlNode& node) {
    LectureScene out;
    out.line = node.line();
    if (!node.json().is_object()) {
      node.complain("a scene is a table: [[scene]]");
      return out;
    }
    out.title = node.required_text("title");
    out.notes = node.text("notes");
    out.minutes = node.points("minutes", 0);
    if (out.minutes > kMostMinutes)
      node.at("minutes").complain(fmt::format("a scene lasts {} minutes at most", kMostMinutes));
    out.view = node.text("view", "stage");
    out.clock = choice(node, "clock", {"", "rounds", "measured"});
    out.curtain = choice(node, "curtain", {"on", "off"});
    if (TomlNode run = node.at("run")) out.run = run_of(run);
    else node.complain("a scene says what it shows: run = { algorithm = \"allreduce.ring\" }");
    if (TomlNode beside = node.at("beside")) out.beside = run_of(beside);
    races(node, out);
    held(node, out);
    if (const std::string at = node.text("at"); !at.empty()) out.at = moment(node, "at", at);
    out.commands = node.texts("commands");
    stops(node, out);
    question(node, out);
    node.finish();
    return out;
  }

  std::string choice(TomlNode& node, std::string_view key, std::vector<std::string> known) {
    std::string said = node.text(key, known.front());
    if (ranges::find(known, said) != known.end()) return said;
    std::erase(known, "");
    node.at(key).complain(
        fmt::format("'{}' is \"{}\", not \"{}\"", key, fmt::join(known, "\" or \""), said));
    return known.front();
  }

  SceneMoment moment(TomlNode& node, std::string_view key, const std::string& text) {
    if (const auto found = scene_moment(text)) return *found;
    node.at(key).complain(fmt::format(
        R"('{}' is "start", "end", a round such as "round 2", or a time such as "12.5 us", not "{}")",
        key, text));
    return {};
  }

  SceneRun run_of(TomlNode& node) {
    SceneRun out;
    out.line = node.line();
    out.written = node.json();
    if (!node.json().is_object()) {
      node.complain("a run is a table: run = { algorithm = \"allreduce.ring\", ranks = 4 }");
      return out;
    }
    if (node.has("program")) program(node, out);
    else if (node.has("trace")) trace(node, out);
    else job(node, out);
    return out;
  }

  void program(TomlNode& node, SceneRun& out) {
    out.is = SceneRun::Is::program;
    out.file = file_of(node, "program");
    out.job.world.size = node.whole("ranks", out.job.world.size);
    if (out.job.world.size < 1 || out.job.world.size > kMostInWindow)
      node.at("ranks").complain(fmt::format("a program has 1 to {} ranks", kMostInWindow));
    out.as = node.text("as");
    node.finish();
  }

  void trace(TomlNode& node, SceneRun& out) {
    out.is = SceneRun::Is::trace;
    out.file = file_of(node, "trace");
    node.finish();
  }

  fs::path file_of(TomlNode& node, std::string_view key) {
    const fs::path path = file_.parent_path() / node.required_text(key);
    std::error_code error;
    if (!fs::is_regular_file(path, error))
      node.at(key).complain(fmt::format("there is no file {}", path.lexically_normal().string()));
    return path.lexically_normal();
  }

  // Checks each field by itself first, so that a mistake has its line.
  void job(TomlNode& node, SceneRun& out) {
    out.is = SceneRun::Is::job;
    const std::size_t before = complaints_.all().size();
    const auto names = LessonRuns::job_fields();
    const std::vector<std::string> known(names.begin(), names.end());
    for (const std::string& key : node.keys()) {
      TomlNode at = node.at(key);
      if (ranges::find(known, key) == known.end()) {
        at.complain(fmt::format("a run has no '{}'{}", key, nearest_hint(key, known)));
      } else if (key != "values") {
        try {
          (void)LessonRuns::job_of({{key, at.json()}}, {});
        } catch (const UserError& e) {
          at.complain(e.what());
        }
      }
    }
    if (!node.has("algorithm"))
      node.complain(
          "a run says its algorithm, or a program or a trace: algorithm = \"allreduce.ring\"");
    if (complaints_.all().size() != before) return;
    try {
      out.job = LessonRuns::job_of(node.json(), {});
      validate(out.job);
      if (out.job.world.size > kMostInWindow)
        throw UserError(fmt::format("the window shows up to {} ranks", kMostInWindow));
    } catch (const UserError& e) {
      node.complain(e.what());
    }
  }

  void races(TomlNode& node, LectureScene& out) {
    out.race = node.texts("race");
    if (out.race.empty()) return;
    TomlNode at = node.at("race");
    if (out.race.size() < 2 || out.race.size() > kMostRacers)
      at.complain(fmt::format("a race is of 2 to {} algorithms", kMostRacers));
    for (const std::string& name : out.race)
      if (find_algorithm(name) == nullptr)
        at.complain(fmt::format("there is no algorithm '{}': `rankscope list` shows all", name));
    if (out.run.is != SceneRun::Is::job || out.beside.is != SceneRun::Is::none)
      at.complain(
          "a race runs the scene's job with each algorithm: it has a 'run' with a job, and "
          "nothing beside it");
    out.view = "race";
  }

  void held(TomlNode& node, LectureScene& out) {
    out.held = node.flag("held", false);
    out.orders = node.texts("orders");
    for (const std::string& order : out.orders)
      if (!is_scene_order(order) && !is_scene_look(order))
        node.at("orders").complain(fmt::format(
            "an order to held processes is one of {}, or changes their look ({}), not '{}'",
            fmt::join(kSceneOrders, ", "), fmt::join(kSceneLooks, ", "), order));
    if (!out.orders.empty() && !out.held)
      node.at("orders").complain("only held processes take orders: held = true");
    if (!out.held) return;
    if (out.run.is != SceneRun::Is::job || out.run.job.is_simulated() || !out.race.empty())
      node.at("held").complain(
          "only the processes of a job can be held: no race, program, trace or simulated run");
    if (node.has("stops") || node.has("at"))
      node.at("held").complain(
          "held processes begin before their first message and stop after each "
          "round: they have no 'at' and no 'stops'");
  }

  void stops(TomlNode& node, LectureScene& out) {
    TomlNode list = node.at("stops");
    if (!list) return;
    if (list.elements().size() > kMostStops) {
      list.complain(fmt::format("a scene has at most {} stops", kMostStops));
      return;
    }
    SceneMoment before = out.at;
    for (TomlNode& one : list.elements()) {
      SceneStop stop;
      std::string text;
      if (one.json().is_object()) {
        text = one.required_text("at");
        stop.commands = one.texts("commands");
        one.finish();
      } else if (one.json().is_string()) {
        text = one.json().get<std::string>();
      }
      const auto at = scene_moment(text);
      if (!at)
        one.complain(R"(a stop is a moment such as "round 2", "12.5 us" or "end", or a table: )"
                     R"({ at = "round 2", commands = ["values on"] })");
      else if (!comes_after(*at, before))
        one.complain(fmt::format("stops come in the order of time: {} lies before {}", text,
                                 to_text(before)));
      stop.at = before = at.value_or(before);
      out.stops.push_back(std::move(stop));
    }
  }

  void question(TomlNode& node, LectureScene& out) {
    TomlNode asked = node.at("question");
    if (!asked) return;
    SceneQuestion question;
    if (asked.json().is_object()) {
      question.text = asked.required_text("text");
      question.options = asked.texts("options");
      question.answer = asked.text("answer");
      if (!question.answer.empty() &&
          ranges::find(question.options, question.answer) == question.options.end())
        asked.complain("the answer is one of the options");
      if (const std::string before = asked.text("before"); !before.empty())
        question.before = moment(asked, "before", before);
      if (question.before.is == SceneMoment::Is::start ||
          (question.before.is == SceneMoment::Is::round && question.before.value < 1))
        asked.at("before").complain(
            "nothing comes before the start: 'before' names the round that is asked for, the first "
            "is \"round 1\"");
      if (const std::string answered = asked.text("answered"); !answered.empty()) {
        question.answered = moment(asked, "answered", answered);
        if (!comes_after(*question.answered, question.before))
          asked.at("answered").complain("a question is answered after the moment that it asks for");
      }
      asked.finish();
    } else {
      question.text = node.text("question");
    }
    out.question = std::move(question);
  }

  const fs::path file_;
  Complaints& complaints_;
};

bool begins_with_one_of(std::span<const std::string_view> names, std::string_view line) {
  return ranges::find(names, line.substr(0, line.find(' '))) != names.end();
}

/// A value in one line, as in an inline table.
std::string inline_text(const json& value) {
  if (value.is_string()) return toml_quoted(value.get_ref<const std::string&>());
  std::vector<std::string> parts;
  if (value.is_object()) {
    // The algorithm first, as people write it.
    if (value.contains("algorithm"))
      parts.push_back("algorithm = " + inline_text(value["algorithm"]));
    for (const auto& [key, part] : value.items())
      if (key != "algorithm") parts.push_back(fmt::format("{} = {}", key, inline_text(part)));
    return parts.empty() ? "{}" : fmt::format("{{ {} }}", fmt::join(parts, ", "));
  }
  if (!value.is_array()) return value.dump();
  for (const json& part : value) parts.push_back(inline_text(part));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

/// Writes several lines as a multi-line string if the text allows it.
std::string text_of(const std::string& text) {
  if (text.find('\n') == std::string::npos || text.find("'''") != std::string::npos ||
      text.find('\r') != std::string::npos)
    return toml_quoted(text);
  return "'''\n" + text + "'''";
}

void write_scene(const LectureScene& scene, std::string& out) {
  const auto line = [&](std::string_view key, const std::string& value) {
    out += fmt::format("{} = {}\n", key, value);
  };
  out += "\n[[scene]]\n";
  line("title", toml_quoted(scene.title));
  if (scene.minutes > 0) line("minutes", fmt::format("{:g}", scene.minutes));
  line("run", inline_text(scene.run.written));
  if (scene.beside.is != SceneRun::Is::none) line("beside", inline_text(scene.beside.written));
  if (!scene.race.empty()) line("race", inline_text(scene.race));
  if (scene.held) line("held", "true");
  if (!scene.orders.empty()) line("orders", inline_text(scene.orders));
  if (scene.race.empty() && scene.view != "stage") line("view", toml_quoted(scene.view));
  if (!scene.clock.empty()) line("clock", toml_quoted(scene.clock));
  if (scene.curtain != "on") line("curtain", toml_quoted(scene.curtain));
  if (scene.at != SceneMoment()) line("at", toml_quoted(to_text(scene.at)));
  if (!scene.commands.empty()) line("commands", inline_text(scene.commands));
  if (!scene.stops.empty()) {
    std::string stops;
    for (const SceneStop& stop : scene.stops) {
      const std::string at = toml_quoted(to_text(stop.at));
      stops += stop.commands.empty() ? fmt::format("  {},\n", at)
                                     : fmt::format("  {{ at = {}, commands = {} }},\n", at,
                                                   inline_text(stop.commands));
    }
    line("stops", "[\n" + stops + "]");
  }
  if (scene.question) {
    const SceneQuestion& asked = *scene.question;
    json table{{"text", asked.text}};
    if (asked.before != SceneQuestion().before) table["before"] = to_text(asked.before);
    if (!asked.options.empty()) table["options"] = asked.options;
    if (!asked.answer.empty()) table["answer"] = asked.answer;
    if (asked.answered) table["answered"] = to_text(*asked.answered);
    line("question", table.size() == 1 ? toml_quoted(asked.text) : inline_text(table));
  }
  if (!scene.notes.empty()) line("notes", text_of(scene.notes));
}

}  // namespace

bool is_scene_order(std::string_view line) { return begins_with_one_of(kSceneOrders, line); }
bool is_scene_look(std::string_view line) { return begins_with_one_of(kSceneLooks, line); }

std::optional<SceneMoment> scene_moment(std::string_view text) {
  using Is = SceneMoment::Is;
  if (text == "start") return SceneMoment{};
  if (text == "end") return SceneMoment{Is::end, 0};
  constexpr std::string_view kRound = "round ", kTime = " us";
  const bool round = text.starts_with(kRound), time = text.ends_with(kTime);
  if (round == time) return std::nullopt;
  if (round) text.remove_prefix(kRound.size());
  else text.remove_suffix(kTime.size());
  const auto value = number_of(text);
  if (!value) return std::nullopt;
  return SceneMoment{round ? Is::round : Is::time, *value};
}

std::string to_text(const SceneMoment& moment) {
  switch (moment.is) {
    case SceneMoment::Is::start: return "start";
    case SceneMoment::Is::round: return fmt::format("round {}", moment.value);
    case SceneMoment::Is::time: return fmt::format("{} us", moment.value);
    case SceneMoment::Is::end: break;
  }
  return "end";
}

double Lecture::minutes() const noexcept {
  double all = 0;
  for (const LectureScene& scene : scenes) all += scene.minutes;
  return all;
}

std::optional<Lecture> read_lecture(const fs::path& file, Complaints& complaints) {
  return LectureReader(file, complaints).read();
}

std::string lecture_text(const Lecture& lecture) {
  std::string out =
      fmt::format("lecture = {}\ntitle = {}\n", kLectureVersion, toml_quoted(lecture.title));
  if (!lecture.summary.empty()) out += fmt::format("summary = {}\n", toml_quoted(lecture.summary));
  for (const LectureScene& scene : lecture.scenes) write_scene(scene, out);
  return out;
}

SceneRun scene_run_of(const JobSpec& job) {
  SceneRun out;
  out.is = SceneRun::Is::job;
  out.job = job;
  out.written = json::object();
  const JobSpec usual;
  for (const JobField& field : job_fields()) {
    if (field.lesson.empty()) continue;
    const std::string text = field_text(job, field);
    if (text == field_text(usual, field) && field.key != "algorithm" && field.key != "world_size")
      continue;
    out.written[std::string(field.lesson)] =
        with_value(job, field.place, [&]<class T>(const T& value) -> json {
          if constexpr (std::same_as<T, std::vector<Count>>) return value;
          else if constexpr (std::same_as<T, std::vector<double>>) {
            json list = json::array();
            for (const double one : value) list.push_back(one / field.lesson_unit);
            return list;
          } else if constexpr (std::same_as<T, bool> || std::same_as<T, int>) return value;
          else return text;
        });
  }
  if (job.data.input == InputPattern::given) {
    out.written.erase("input");
    out.written["values"] = job.data.values;
  }
  if (job.call.shape.size() == 1 && out.written.contains("shape")) {
    out.written["count"] = job.call.shape.front();
    out.written.erase("shape");
  }
  return out;
}

fs::path lectures_folder() {
  try {
    const fs::path folder = lessons_folder() / "lectures";
    std::error_code error;
    return fs::is_directory(folder, error) ? folder : fs::path();
  } catch (const UserError&) {  // nothing is installed
    return {};
  }
}

}  // namespace rankscope
