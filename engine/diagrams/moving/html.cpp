// Assembles the HTML page of a flipbook: data, script, colours and security policy.
#include "engine/diagrams/moving/html.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

// The files of player/, in a generated source.
std::string_view player_script() noexcept;
std::string_view player_style() noexcept;
/// HTML: buttons, scrubber, caption.
std::string_view player_controls() noexcept;
/// In hexadecimal digits.
std::string_view player_script_sha256() noexcept;

namespace {

// Returns the base64 form of a SHA-256 in hexadecimal digits, for a content security policy.
std::string base64_of_hex(std::string_view hex) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<unsigned>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = bytes[i] << 16;
    if (i + 1 < bytes.size()) group |= bytes[i + 1] << 8;
    if (i + 2 < bytes.size()) group |= bytes[i + 2];
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63U];
  }
  return text;
}

// The player's own colours are those of the theme too.
void use_player_colors(SvgClasses& classes) {
  for (const Tone tone :
       {Tone::page, Tone::panel, Tone::frame, Tone::lane, Tone::text, Tone::muted, Tone::accent})
    classes.of(Ink{tone}, false);
  for (int i = 0; i < 6; ++i) classes.of(Ink{Tone::phase, i}, false);
}

std::string color_rules(const SvgClasses& classes) {
  const std::string light = classes.css_colors(Theme(Theme::Kind::light));
  const std::string dark = classes.css_colors(Theme(Theme::Kind::dark));
  const std::string print = classes.css_colors(Theme(Theme::Kind::print));
  std::string marks;
  for (int i = 0; i < 6; ++i) marks += fmt::format("--mark-{0}:var(--phase-{0});", i);
  return fmt::format(
      ":root{{color-scheme:light;--future:{4};{3}{0}}}\n"
      "@media "
      "(prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{1}}}}}\n"
      ":root[data-theme=dark]{{color-scheme:dark;{1}}}\n"
      "@media "
      "print{{:root,:root[data-theme],:root:not([data-theme=light]){{color-scheme:light;{2}}}}}\n",
      light, dark, print, marks, Theme(Theme::Kind::light).future());
}

// Text inside <script type="application/json">: nothing in it may end the element.
std::string script_json(const nlohmann::json& json) {
  std::string text = dump_json(json);
  replace_all(text, "<", "\\u003c");
  return text;
}

// The prefix of shapes' ids, which are written thousands of times; the player's own begin with small letters.
std::string panel_prefix(int number) {
  return number < 26 ? std::string(1, static_cast<char>('A' + number))
                     : fmt::format("Z{}-", number);
}

// Stories of a grid's cells have most of their lines in common: each is written once.
class Lines {
 public:
  /// {"cell-2-3": [[0, 4, 7], ...]}: from moment 0 on, lines 4 and 7.
  nlohmann::json numbered(const nlohmann::json& stories) {
    auto all = nlohmann::json::object();
    for (const auto& [id, changes] : stories.items())
      for (const auto& change : changes) {
        auto one = nlohmann::json::array({change[0]});
        for (const auto& number : numbers(change[1].get<std::string>())) one.push_back(number);
        all[id].push_back(one);
      }
    return all;
  }
  const nlohmann::json& all() const noexcept { return lines_; }

 private:
  std::vector<std::size_t> numbers(const std::string& text) {
    std::vector<std::size_t> found;
    for (const std::string_view line : split_at(text, "\n")) {
      const auto [known, fresh] = known_.try_emplace(std::string(line), known_.size());
      if (fresh) lines_.push_back(known->first);
      found.push_back(known->second);
    }
    return found;
  }
  std::unordered_map<std::string, std::size_t> known_;
  nlohmann::json lines_ = nlohmann::json::array();
};

nlohmann::json data_of(const Flipbook& book) {
  auto moments = nlohmann::json::array();
  for (const auto& moment : book.moments)
    moments.push_back({{"now", moment.now},
                       {"name", moment.name},
                       {"phase", moment.phase},
                       {"caption", moment.caption}});
  Lines lines;
  auto stories = nlohmann::json::array();
  for (const auto& panel : book.panels) stories.push_back(lines.numbered(panel_stories(panel)));
  const std::string& last = book.moments.back().name;
  const bool steps = last.starts_with("step ");
  return {{"moments", moments},
          {"lines", lines.all()},
          {"stories", stories},
          {"unit", steps ? "step" : "time"},
          {"lastName", steps ? last.substr(5) : last},
          {"pace", book.pace},
          {"summary", book.description}};
}

/// Counts all shapes, then defines those with which this saves bytes.
class SharedShapes {
 public:
  explicit SharedShapes(std::string_view prefix) : prefix_(prefix) {}

  void count(const std::string& shape) { ++shapes_[shape].times; }
  /// Returns a <use> at this place; empty if the shape is better written as it is.
  std::string use(const std::string& shape, Point at);
  /// Returns "<g id=...>...</g>" for all that were used.
  const std::string& definitions() const noexcept { return definitions_; }

 private:
  struct Shape {
    std::size_t times = 0;
    std::string id;
  };
  std::string prefix_;
  std::unordered_map<std::string, Shape> shapes_;
  std::size_t defined_ = 0;
  std::string definitions_;
};

constexpr std::size_t kDefinition = 20, kUse = 34;  // bytes around a shape, and instead of it

std::string short_number(std::size_t number) {
  static constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string text;
  do text.insert(text.begin(), kDigits[number % kDigits.size()]);
  while ((number /= kDigits.size()) > 0);
  return text;
}

std::string SharedShapes::use(const std::string& shape, Point at) {
  auto& known = shapes_[shape];
  if (known.times * shape.size() <= shape.size() + kDefinition + known.times * kUse) return {};
  if (known.id.empty()) {
    known.id = prefix_ + short_number(defined_++);
    definitions_ += fmt::format("<g id=\"{}\">{}</g>", known.id, shape);
  }
  std::string text = fmt::format("<use href=\"#{}\"", known.id);
  if (const auto x = svg_number(at.x); x != "0") text += fmt::format(" x=\"{}\"", x);
  if (const auto y = svg_number(at.y); y != "0") text += fmt::format(" y=\"{}\"", y);
  return text + "/>";
}

using Moments = std::vector<std::size_t>;  // ascending

// Returns "0-2 5".
std::string ranges_text(const Moments& moments) {
  std::string text;
  for (std::size_t i = 0; i < moments.size();) {
    std::size_t last = i;
    while (last + 1 < moments.size() && moments[last + 1] == moments[last] + 1) ++last;
    if (!text.empty()) text += ' ';
    text += fmt::format("{}", moments[i]);
    if (last > i) text += fmt::format("-{}", moments[last]);
    i = last + 1;
  }
  return text;
}

// A mark (or a box with its text) that some moments show.
struct Slot {
  std::string svg;    // where it stands
  std::string shape;  // at the origin, for SharedShapes; empty if not to be shared
  Point at;
  Moments moments;
  const std::string& key() const noexcept { return svg; }
};

// A group that is elsewhere in each of several successive scenes.
struct Mover {
  std::string id, shape;  // at the origin
  std::size_t from = 0;   // the first scene
  std::vector<Point> way;
};

bool is_mover(const Scene& scene, std::int32_t group) {
  return group >= 0 && scene.groups[static_cast<std::size_t>(group)].id.starts_with("moving-");
}

// Marks that follow each other and belong to one group.
struct Run {
  std::string tag;  // <g ...; empty for the background
  std::vector<Slot> slots;
  const std::string& key() const noexcept { return tag; }
};

// Merges a moment's items into those of earlier moments, in painting order: an item that is known after the last one
// used is used again; a new one is put right after that.
template <class Item, class Use>
void merge(std::vector<Item>& known, std::vector<Item> fresh, const Use& use) {
  std::unordered_map<std::string, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < known.size(); ++i) places[known[i].key()].push_back(i);
  std::vector<std::vector<Item>> behind(known.size() +
                                        1);  // new ones, by the known one they precede
  std::size_t free_from = 0;
  for (Item& item : fresh) {
    if (const auto found = places.find(item.key()); found != places.end()) {
      const auto at = ranges::lower_bound(found->second, free_from);
      if (at != found->second.end()) {
        use(known[*at], item);
        free_from = *at + 1;
        continue;
      }
    }
    behind[free_from].push_back(std::move(item));
  }
  std::vector<Item> merged;
  for (std::size_t i = 0; i <= known.size(); ++i) {
    std::ranges::move(behind[i], std::back_inserter(merged));
    if (i < known.size()) merged.push_back(std::move(known[i]));
  }
  known = std::move(merged);
}

void merge_slots(std::vector<Slot>& known, std::vector<Slot> fresh) {
  merge(known, std::move(fresh),
        [](Slot& slot, Slot& again) { slot.moments.push_back(again.moments.front()); });
}

std::string label_of(const std::string& story) {
  std::string text = xml_escaped(story);
  replace_all(text, "\n", "&#10;");
  return text;
}

class Panel {
 public:
  Panel(const Flipbook::Panel& panel, SvgClasses& classes, std::string_view prefix)
      : panel_(panel), classes_(classes), shapes_(prefix), clusters_(std::string(prefix) + "_") {
    if (!panel.timed()) return;
    const Scene& scene = panel.scenes.front();
    for (const MovingMessage& one : moving_messages(scene))
      ways_.emplace(scene.groups[static_cast<std::size_t>(one.group)].id,
                    fmt::format(" {} {}", svg_number(one.leaves), svg_number(one.arrives)));
  }

  std::string write() {
    for (std::size_t moment = 0; moment < panel_.scenes.size(); ++moment)
      merge(runs_, runs_of(moment),
            [](Run& run, Run& again) { merge_slots(run.slots, std::move(again.slots)); });
    const Scene& first = panel_.scenes.front();
    std::string out = fmt::format(
        "<svg class=\"scene\" data-between=\"{}\" viewBox=\"0 0 {} {}\" style=\"--w:{};--h:{}\" "
        "role=\"group\" aria-label=\"{}\">\n",
        panel_.between, svg_number(first.width), svg_number(first.height), svg_number(first.width),
        svg_number(first.height), xml_escaped(first.title));
    if (!first.description.empty())
      out += fmt::format("<desc>{}</desc>\n", xml_escaped(first.description));
    for (const Run& run : runs_)
      for (const Slot& slot : run.slots)
        if (!slot.shape.empty()) shapes_.count(slot.shape);
    for (const Run& run : runs_)
      for_stretches(run,
                    [&](std::size_t begin, std::size_t end) { count_clusters(run, begin, end); });
    std::string body;
    for (const Run& run : runs_) write_run(run, body);
    const std::string definitions = shapes_.definitions() + clusters_.definitions();
    if (!definitions.empty()) out += "<defs>" + definitions + "</defs>\n";
    for (const Mover& mover : movers_) write_mover(mover, body);
    return out + body + "</svg>\n";
  }

 private:
  // In a timed panel, a story stands in the group's first element only.
  std::string tag_of(const Group& group, bool told) const {
    std::string tag = "<g";
    // Nothing asks for the name of a group without a story.
    if (!panel_.timed() || !group.story.empty())
      tag += fmt::format(" data-id=\"{}\"", xml_escaped(group.id));
    if (!panel_.timed()) return tag;
    if (group.timed()) {
      const auto way = ways_.find(group.id);
      tag += fmt::format(" data-t=\"{} {}{}\"", svg_number(group.begin), svg_number(group.end),
                         way == ways_.end() ? "" : way->second);
    }
    if (!group.story.empty() && !told)
      tag += fmt::format(" aria-label=\"{}\"", label_of(group.story));
    return tag;
  }

  std::vector<Run> runs_of(std::size_t moment) {
    const Scene& scene = panel_.scenes[moment];
    std::set<std::size_t> pills;
    if (panel_.timed())
      for (const MovingMessage& moving_message : moving_messages(scene))
        if (!moving_message.label.empty()) pills.insert(moving_message.label[0]);
    std::set<std::int32_t> told;
    std::vector<Run> runs;
    for (std::size_t i = 0; i < scene.marks.size(); ++i) {
      const std::int32_t group = scene.marks[i].group;
      if (panel_.between > 1 && is_mover(scene, group)) {
        i = add_mover(scene, i, moment);
        continue;
      }
      if (runs.empty() || group != scene.marks[i - 1].group) {
        runs.emplace_back();
        if (group >= 0)
          runs.back().tag =
              tag_of(scene.groups[static_cast<std::size_t>(group)], !told.insert(group).second);
      }
      auto& slots = runs.back().slots;
      if (const Mark& mark = scene.marks[i]; panel_.timed() && mark.arrow && mark.stroke) {
        slots.push_back({svg_shaft(mark, classes_), {}, {}, {moment}});
        slots.push_back(shared_head(mark, moment));
      } else {
        slots.push_back(slot_of(scene, i, pills.contains(i), moment));
      }
    }
    return runs;
  }

  // Adds a group that moves; returns the index of its last mark.
  std::size_t add_mover(const Scene& scene, std::size_t first, std::size_t moment) {
    const std::int32_t group = scene.marks[first].group;
    const Point at{scene.marks[first].box.x, scene.marks[first].box.y};
    Mover mover{scene.groups[static_cast<std::size_t>(group)].id, {}, moment, {at}};
    std::size_t i = first;
    for (; i < scene.marks.size() && scene.marks[i].group == group; ++i) {
      Mark mark = scene.marks[i];
      shift(mark, {-at.x, -at.y});
      mover.shape += svg_mark(mark, classes_);
    }
    const auto known = last_mover_.find(mover.id);
    if (known != last_mover_.end()) {
      Mover& before = movers_[known->second];
      if (before.shape == mover.shape && before.from + before.way.size() == moment) {
        before.way.push_back(at);
        return i - 1;
      }
    }
    last_mover_[mover.id] = movers_.size();
    movers_.push_back(std::move(mover));
    return i - 1;
  }

  static void write_mover(const Mover& mover, std::string& out) {
    out += fmt::format("<g class=\"mover\" data-from=\"{}\" data-way=\"", mover.from);
    for (const Point& p : mover.way) out += fmt::format("{} {} ", svg_number(p.x), svg_number(p.y));
    out.back() = '"';
    out += fmt::format(">{}</g>\n", mover.shape);
  }

  // Returns whether it is a box with its text, of which a grid has hundreds alike.
  static bool is_tile(const Scene& scene, std::size_t i) {
    if (i + 1 >= scene.marks.size()) return false;
    const Mark &box = scene.marks[i], &text = scene.marks[i + 1];
    return box.kind == Mark::Kind::box && text.kind == Mark::Kind::text &&
           box.group == text.group && text.rotated == 0 && text.box.inside(box.box.grown(4));
  }

  // Moves `i` to the last mark that it took.
  Slot slot_of(const Scene& scene, std::size_t& i, bool pill, std::size_t moment) {
    const Mark& mark = scene.marks[i];
    if (pill) {
      std::string svg = "<g class=\"pill\">" + svg_mark(mark, classes_);
      svg += svg_mark(scene.marks[++i], classes_) + "</g>";
      return {std::move(svg), {}, {}, {moment}};
    }
    if (!panel_.timed() && is_tile(scene, i)) return shared({mark, scene.marks[++i]}, moment);
    const bool told =
        mark.group >= 0 && !scene.groups[static_cast<std::size_t>(mark.group)].story.empty();
    if (panel_.timed() && mark.kind == Mark::Kind::box && !told) return shared({mark}, moment);
    const bool text = mark.kind == Mark::Kind::text && mark.rotated == 0;
    const bool path = mark.kind == Mark::Kind::path && !mark.arrow && !mark.points.empty();
    if (!panel_.timed() && (text || path)) return shared({mark}, moment);
    return {svg_mark(mark, classes_), {}, {}, {moment}};
  }

  // Makes a slot that may be shared, which boxes that a reader can choose are not: the style sheet gives them another
  // line.
  Slot shared(std::vector<Mark> marks, std::size_t moment) {
    const Mark& first = marks.front();
    const Point at = first.kind == Mark::Kind::text   ? first.origin
                     : first.kind == Mark::Kind::path ? first.points.front()
                                                      : Point{first.box.x, first.box.y};
    Slot slot{{}, {}, at, {moment}};
    for (const Mark& mark : marks) slot.svg += svg_mark(mark, classes_);
    for (Mark& mark : marks) {
      shift(mark, {-slot.at.x, -slot.at.y});
      slot.shape += svg_mark(mark, classes_);
    }
    return slot;
  }

  Slot shared_head(Mark arrow, std::size_t moment) {
    Slot slot{svg_head(arrow, classes_), {}, arrow.points.back(), {moment}};
    shift(arrow, {-slot.at.x, -slot.at.y});
    slot.shape = svg_head(arrow, classes_);
    return slot;
  }

  // Visits each stretch of slots that the same moments show.
  template <class Visit>
  static void for_stretches(const Run& run, const Visit& visit) {
    for (std::size_t i = 0; i < run.slots.size();) {
      const std::size_t begin = i;
      while (i < run.slots.size() && run.slots[i].moments == run.slots[begin].moments) ++i;
      visit(begin, i);
    }
  }

  // Tiles that follow each other, as a shape of their own: the cells of a grid are often alike.
  struct Cluster {
    std::string shape;  // empty: there is none
    std::size_t end = 0;
  };
  Cluster cluster(const Run& run, std::size_t begin, std::size_t end) {
    Cluster found{{}, begin};
    const Point origin = run.slots[begin].at;
    for (; found.end < end; ++found.end) {
      const Slot& slot = run.slots[found.end];
      const std::string use =
          slot.shape.empty()
              ? std::string()
              : shapes_.use(slot.shape, {slot.at.x - origin.x, slot.at.y - origin.y});
      if (use.empty()) break;
      found.shape += use;
    }
    if (found.end < begin + 2) found.shape.clear();
    return found;
  }

  void count_clusters(const Run& run, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end;) {
      const Cluster found = cluster(run, i, end);
      if (!found.shape.empty()) clusters_.count(found.shape);
      i = std::max(found.end, i + 1);
    }
  }

  void write_stretch(const Run& run, std::size_t begin, std::size_t end, std::string& out) {
    for (std::size_t i = begin; i < end;) {
      const Cluster found = cluster(run, i, end);
      const std::string all =
          found.shape.empty() ? std::string() : clusters_.use(found.shape, run.slots[i].at);
      out += all;
      const std::size_t until = std::max(found.end, i + 1);
      for (; i < until; ++i) {
        if (!all.empty()) continue;
        const Slot& slot = run.slots[i];
        const std::string use =
            slot.shape.empty() ? std::string() : shapes_.use(slot.shape, slot.at);
        out += use.empty() ? slot.svg : use;
      }
    }
  }

  void write_run(const Run& run, std::string& out) {
    if (!run.tag.empty()) out += run.tag + ">";
    for_stretches(run, [&](std::size_t begin, std::size_t end) {
      const Moments& moments = run.slots[begin].moments;
      const bool always = moments.size() == panel_.scenes.size();
      if (!always) {
        // Without a script the last moment shows, as in a picture.
        const bool last = moments.back() + 1 == panel_.scenes.size();
        out +=
            fmt::format("<g data-at=\"{}\"{}>", ranges_text(moments), last ? " class=\"on\"" : "");
      }
      write_stretch(run, begin, end, out);
      if (!always) out += "</g>";
    });
    out += run.tag.empty() ? "\n" : "</g>\n";
  }

  const Flipbook::Panel& panel_;
  std::unordered_map<std::string, std::string> ways_;  ///< When a message is at its arrow's ends.
  SvgClasses& classes_;
  std::vector<Run> runs_;
  std::vector<Mover> movers_;
  std::unordered_map<std::string, std::size_t> last_mover_;
  SharedShapes shapes_, clusters_;
};

}  // namespace

std::string to_html(const Flipbook& book, std::string_view theme) {
  if (book.moments.empty() || book.panels.empty()) throw UserError("there is nothing to play");
  SvgClasses classes;
  use_player_colors(classes);
  std::string figures;
  int number = 0;
  for (const auto& panel : book.panels)
    figures += fmt::format("<figure style=\"--share:{}\">\n{}</figure>\n",
                           svg_number(panel.scenes.front().height),
                           panel_svg(panel, classes, panel_prefix(number++)));
  const std::string opens_with =
      theme.empty() ? "" : fmt::format(" data-theme=\"{}\"", xml_escaped(theme));
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"{}>\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'sha256-{}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"rankscope\">\n<title>{}</title>\n"
      "<style>\n{}{}{}</style>\n</head>\n<body>\n<h1 class=\"unseen\">{}</h1>\n"
      "<svg width=\"0\" height=\"0\" class=\"unseen\" aria-hidden=\"true\">{}</svg>\n"
      "<main>\n{}</main>\n{}"
      "<script type=\"application/json\" id=\"flipbook\">{}</script>\n<script>{}</script>\n"
      "</body>\n</html>\n",
      opens_with, base64_of_hex(player_script_sha256()), xml_escaped(book.title),
      color_rules(classes), classes.css(), player_style(), xml_escaped(book.title),
      svg_defs("var(--text)"), figures, player_controls(), script_json(data_of(book)),
      player_script());
}

nlohmann::json panel_stories(const Flipbook::Panel& panel) {
  auto stories = nlohmann::json::object();
  if (panel.timed()) return stories;
  const auto each = static_cast<std::size_t>(std::max(panel.between, 1));
  for (std::size_t moment = 0; moment * each < panel.scenes.size(); ++moment)
    for (const Group& group : panel.scenes[moment * each].groups) {
      if (group.story.empty()) continue;
      auto& of_group = stories[group.id];
      if (of_group.is_null() || of_group.back()[1] != group.story)
        of_group.push_back({moment, group.story});
    }
  return stories;
}

std::string panel_svg(const Flipbook::Panel& panel, SvgClasses& classes, std::string_view prefix) {
  return Panel(panel, classes, prefix).write();
}

}  // namespace rankscope
