// Reads and writes gui.json, replacing only damaged settings by their defaults.
#include "gui/state/files/settings.h"

#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/run/job_json.h"
#include "gui/state/command/arguments.h"
#include "gui/state/command/view_infos.h"
#include "gui/state/run/run_state.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostRecent = 32;
constexpr double kLeastShare = 0.05, kMostShare = 0.9;

/// Reads an object's right values; the others keep their defaults and are named in `wrong`.
class Fields {
 public:
  Fields(const json& object, std::string where, std::vector<std::string>& wrong)
      : object_(object), where_(std::move(where)), wrong_(wrong) {}

  void take(const std::string& name, bool& into) {
    if (const auto* value = find(name); value != nullptr && need(value->is_boolean(), name))
      into = value->get<bool>();
  }
  void take(const std::string& name, double& into, double least, double most) {
    const auto* value = find(name);
    if (value == nullptr || !need(value->is_number(), name)) return;
    const double number = value->get<double>();
    if (need(number >= least && number <= most, name)) into = number;
  }
  void take(const std::string& name, std::string& into) {
    if (const auto* value = find(name); value != nullptr && need(value->is_string(), name))
      into = value->get<std::string>();
  }
  /// Reads one of a table's names.
  template <class Range, class T>
  void take_named(const std::string& name, const Range& all, T& into) {
    std::string word;
    take(name, word);
    if (word.empty()) return;
    const auto found = named(all, word);
    if (!need(found.has_value(), name)) return;
    if constexpr (std::is_same_v<T, std::string>) into = word;
    else into = *found;
  }
  void take(const std::string& name, std::vector<std::string>& into) {
    const auto* value = find(name);
    if (value == nullptr || !need(value->is_array(), name)) return;
    for (const auto& entry : *value)
      if (need(entry.is_string(), name) && into.size() < kMostRecent)
        into.push_back(entry.get<std::string>());
  }
  const json* find(const std::string& name) const {
    const auto at = object_.find(name);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
  }
  bool need(bool right, const std::string& name) {
    const auto full = where_ + name;
    if (!right && ranges::find(wrong_, full) == wrong_.end()) wrong_.push_back(full);
    return right;
  }

 private:
  const json& object_;
  const std::string where_;
  std::vector<std::string>& wrong_;
};

void take_layout(const json& object, Layout& layout, std::vector<std::string>& wrong) {
  Fields fields(object, "layout.", wrong);
  if (const auto* views = fields.find("views");
      views != nullptr && fields.need(views->is_object(), "views")) {
    Fields names(*views, "layout.views.", wrong);
    for (const Slot slot : kSlots) {
      const auto* former = names.find(std::string(to_string(slot)));
      if (former != nullptr && former->is_string() && is_former_view(former->get<std::string>()))
        layout.at(slot).clear();
      else names.take_named(std::string(to_string(slot)), kViews, layout.at(slot));
    }
    for (auto& view : layout.view) {
      if (!view.empty()) continue;
      view = ranges::find_if(kViews, [&](const ViewInfo& one) {
               return ranges::find(layout.view, one.name) == layout.view.end();
             })->name;  // the stage, unless it is shown
      fields.need(false, "views (the stage shows what graph and processes did)");
    }
  }
  for (const auto& [name, of] : kShares)
    fields.take(std::string(name), layout.*of, kLeastShare, kMostShare);
  for (const auto& [name, open] : kPanels) fields.take(std::string(name) + "_open", layout.*open);
  fields.take("drawer", layout.drawer);
  fields.take("race", layout.race);
  fields.take_named("maximized", kSlots, layout.maximized);
}

void take_layouts(Fields& fields, std::vector<NamedLayout>& layouts,
                  std::vector<std::string>& wrong) {
  const auto* all = fields.find("layouts");
  if (all == nullptr || !fields.need(all->is_array(), "layouts")) return;
  for (const auto& one : *all) {
    if (!fields.need(one.is_object(), "layouts") || layouts.size() >= Settings::kMostLayouts)
      continue;
    NamedLayout named;
    Fields(one, "layouts.", wrong).take("name", named.name);
    take_layout(one, named.layout, wrong);
    if (fields.need(!named.name.empty(), "layouts.name")) layouts.push_back(std::move(named));
  }
}

void take_job(const json& object, JobSpec& job, std::vector<std::string>& wrong) {
  try {
    JobSpec read = job_spec_of(object);
    validate(read);
    if (read.world.size > kMostShownRanks) throw UserError("too many ranks for a window");
    job = std::move(read);
  } catch (const std::exception&) {  // an algorithm of another version, a machine with less memory
    wrong.emplace_back("job");
    job.data.input =
        JobSpec{}.data.input;  // what a file of an earlier version means when it says nothing
  }
}

void take_place(Fields& settings, const std::string& name, std::optional<WindowPlace>& into,
                std::vector<std::string>& wrong) {
  constexpr double kFarthest = 100'000, kLeast = 50;
  const auto* object = settings.find(name);
  if (object == nullptr || !settings.need(object->is_object(), name)) return;
  Fields fields(*object, name + ".", wrong);
  double x = 0, y = 0, width = 0, height = 0;
  fields.take("x", x, -kFarthest, kFarthest);
  fields.take("y", y, -kFarthest, kFarthest);
  fields.take("width", width, kLeast, kFarthest);
  fields.take("height", height, kLeast, kFarthest);
  if (width > 0 && height > 0)
    into = WindowPlace{static_cast<int>(x), static_cast<int>(y), static_cast<int>(width),
                       static_cast<int>(height)};
}

void take_programs(Fields& fields, Settings& s, std::vector<std::string>& wrong) {
  const auto* all = fields.find("programs");
  if (all == nullptr || !fields.need(all->is_array(), "programs")) return;
  for (const auto& one : *all) {
    if (!fields.need(one.is_object(), "programs") || s.programs.size() >= ProgramChoice::kMostKept)
      continue;
    ProgramChoice choice;
    Fields of(one, "programs.", wrong);
    double ranks = choice.ranks;
    of.take("file", choice.file);
    of.take("ranks", ranks, 0, kMostShownRanks);
    of.take("as", choice.as);
    of.take("data", choice.data);
    of.take("python", choice.python);
    choice.ranks = static_cast<int>(ranks);
    if (fields.need(!choice.file.empty(), "programs.file")) s.programs.push_back(std::move(choice));
  }
}

Settings settings_of(const json& object, std::vector<std::string>& wrong) {
  Settings s;
  Fields fields(object, "", wrong);
  fields.take_named("theme", kThemes, s.theme);
  fields.take("ui_scale", s.ui_scale, Settings::kLeastScale, Settings::kMostScale);
  fields.take_named("labels", kLabels, s.labels);
  fields.take_named("curtain", kCurtains, s.curtain);
  for (const auto& one : kSwitches) fields.take(std::string(one.key), s.*one.on);
  fields.take("recent", s.recent);
  fields.take("welcomed", s.welcomed);
  fields.take("student", s.student);
  fields.take("sheet_name", s.sheet_name);
  fields.take("course", s.course);
  fields.take("editor", s.editor);
  if (const auto* layout = fields.find("layout");
      layout != nullptr && fields.need(layout->is_object(), "layout")) {
    s.layout = {};  // files older than the drawer do not say that they have none
    take_layout(*layout, s.layout, wrong);
  }
  if (s.layout.shows("race")) leave_view(s.layout, "race");  // its runs are gone
  take_layouts(fields, s.layouts, wrong);
  take_programs(fields, s, wrong);
  take_place(fields, "window", s.window_place, wrong);
  take_place(fields, "presenter", s.presenter_place, wrong);
  if (const auto* job = fields.find("job"); job != nullptr) take_job(*job, s.job, wrong);
  return s;
}

json json_of(const Layout& layout) {
  json views = json::object();
  for (const Slot slot : kSlots) views[std::string(to_string(slot))] = layout.at(slot);
  json object = {{"views", views}};
  for (const auto& [name, of] : kShares) object[std::string(name)] = layout.*of;
  for (const auto& [name, open] : kPanels) object[std::string(name) + "_open"] = layout.*open;
  if (layout.drawer) object["drawer"] = true;
  if (!layout.race.empty()) object["race"] = layout.race;
  if (layout.maximized) object["maximized"] = to_string(*layout.maximized);
  return object;
}

json json_of(const std::vector<ProgramChoice>& programs) {
  json all = json::array();
  for (const auto& one : programs)
    all.push_back({{"file", one.file},
                   {"ranks", one.ranks},
                   {"as", one.as},
                   {"data", one.data},
                   {"python", one.python}});
  return all;
}

json json_of(const std::vector<NamedLayout>& layouts) {
  json all = json::array();
  for (const auto& one : layouts) {
    all.push_back(json_of(one.layout));
    all.back()["name"] = one.name;
  }
  return all;
}

}  // namespace

fs::path settings_path() {
  const auto base = user_folder("XDG_CONFIG_HOME", ".config");
  return base.empty() ? base : base / "rankscope" / "gui.json";
}

std::string to_json(const Settings& s) {
  json object = {{"theme", to_string(s.theme)}, {"ui_scale", s.ui_scale},
                 {"labels", s.labels},          {"curtain", s.curtain},
                 {"layout", json_of(s.layout)}, {"layouts", json_of(s.layouts)},
                 {"job", json_of(s.job)},       {"recent", s.recent},
                 {"welcomed", s.welcomed},      {"student", s.student},
                 {"sheet_name", s.sheet_name},  {"course", s.course},
                 {"editor", s.editor},          {"programs", json_of(s.programs)}};
  for (const auto& one : kSwitches) object[std::string(one.key)] = s.*one.on;
  for (const auto& [name, place] :
       {std::pair("window", &s.window_place), std::pair("presenter", &s.presenter_place)})
    if (*place)
      object[name] = {{"x", (*place)->x},
                      {"y", (*place)->y},
                      {"width", (*place)->width},
                      {"height", (*place)->height}};
  // dump_json() accepts a path that is not UTF-8, which must not lose the other settings.
  return dump_json(object, 2) + "\n";
}

Settings settings_from_json(std::string_view text, std::string* complaint) {
  if (complaint != nullptr) complaint->clear();
  const auto parsed = parse_json_or_none(text);
  if (!parsed.is_object()) {
    if (complaint != nullptr) *complaint = "the settings are not valid JSON: the defaults are used";
    return {};
  }
  std::vector<std::string> wrong;
  Settings settings = settings_of(parsed, wrong);
  if (complaint != nullptr && !wrong.empty()) {
    *complaint = "settings that cannot be used take their defaults:";
    for (const auto& name : wrong) *complaint += (&name == wrong.data() ? " " : ", ") + name;
  }
  return settings;
}

Settings read_settings(std::string* complaint) {
  if (complaint != nullptr) complaint->clear();
  const auto path = settings_path();
  std::error_code ignored;
  if (path.empty() || !fs::exists(path, ignored)) return {};
  std::string fault;
  const std::string text = read_whole(path, std::uintmax_t{1} << 30, fault);
  if (!fault.empty()) {
    if (complaint != nullptr)
      *complaint = fmt::format("cannot read the settings {}: the defaults are used", path.string());
    return {};
  }
  std::string wrong;
  Settings settings = settings_from_json(text, &wrong);
  if (!wrong.empty()) {
    // The next change overwrites the file, so a copy of one that was written by hand stays beside it.
    const auto kept = path.string() + ".bad";
    fs::copy_file(path, kept, fs::copy_options::overwrite_existing, ignored);
    wrong += fmt::format(" ({}{})", path.string(), ignored ? "" : "; kept as gui.json.bad");
  }
  if (complaint != nullptr) *complaint = wrong;
  return settings;
}

void write_settings(const Settings& settings) {
  const auto path = settings_path();
  if (path.empty()) throw UserError("there is no home folder: the settings are not remembered");
  std::error_code error;
  fs::create_directories(path.parent_path(), error);  // the write below reports a failure
  // Another window may write at the same moment: each has a file of its own, and the last one wins.
  NewFile file(path.string(), "What you changed holds until the window is closed.");
  file.write([&](std::ostream& out) { out << to_json(settings); });
  file.finish();
}

namespace {

std::vector<NamedLayout> make_built_in() {
  Layout lecture;  // seen from the last row: two pictures, nothing else
  lecture.view = {"spacetime", "buffers", "code", "stage"};
  lecture.left_open = lecture.right_open = false;
  Layout debug;  // who waits for whom, and where
  debug.view = {"stage", "spacetime", "code", "problems"};
  debug.right = 0.34;
  Layout code;  // the source, with what it does
  code.view = {"code", "spacetime", "buffers", "stage"};
  code.lower = 0.5;
  return {{"stage", stage_layout()},
          {"standard", {}},
          {"lecture", lecture},
          {"debug", debug},
          {"code", code}};
}

}  // namespace

Layout stage_layout() {
  Layout stage;
  stage.view = {"stage", "spacetime", "code", "problems"};
  stage.drawer = true;
  stage.right = 0.31;
  stage.lower = 0.27;
  return stage;
}

const std::vector<NamedLayout>& built_in_layouts() {
  static const auto all = make_built_in();
  return all;
}

std::vector<NamedLayout> layouts_of(const Settings& settings) {
  auto all = settings.layouts;
  for (const auto& one : built_in_layouts())
    if (ranges::find(all, one.name, &NamedLayout::name) == all.end()) all.push_back(one);
  return all;
}

Layout layout_named(const Settings& settings, const std::string& name) {
  const auto all = layouts_of(settings);
  const auto found = ranges::find(all, name, &NamedLayout::name);
  if (found != all.end()) return found->layout;
  std::vector<std::string> names;
  for (const auto& one : all) names.push_back(one.name);
  throw UserError(
      fmt::format("there is no layout \"{}\"{}", name,
                  nearest_hint(name, names, fmt::format("there are: {}", fmt::join(names, ", ")))));
}

void save_layout(Settings& settings, const std::string& name) {
  if (name.empty() || name == "save" || name == "remove")
    throw UserError(fmt::format("a layout cannot be called \"{}\": choose another name", name));
  auto& all = settings.layouts;
  const auto found = ranges::find(all, name, &NamedLayout::name);
  if (found != all.end()) found->layout = settings.layout;
  else if (all.size() < Settings::kMostLayouts) all.push_back({name, settings.layout});
  else throw UserError("no more layouts can be saved: remove one (layout remove NAME)");
}

void leave_view(Layout& layout, std::string_view name) {
  for (auto& view : layout.view)
    if (view == name)
      view = ranges::find(layout.view, "stage") == layout.view.end() ? "stage" : "spacetime";
  if (name == "race") layout.race.clear();
}

void remove_layout(Settings& settings, const std::string& name) {
  if (std::erase_if(settings.layouts, [&](const auto& one) { return one.name == name; }) > 0)
    return;
  throw UserError(fmt::format("no layout \"{}\" was saved", name));
}

}  // namespace rankscope::gui
