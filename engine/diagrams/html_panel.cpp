#include "engine/diagrams/html_panel.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace rankscope {
namespace {

using Moments = std::vector<std::size_t>;  // ascending

// "0-2 5"
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
  std::string svg;
  Moments moments;
  const std::string& key() const noexcept { return svg; }
};

// Marks that follow each other and belong to one group.
struct Run {
  std::string tag;  // <g ...; empty: the background
  std::vector<Slot> slots;
  const std::string& key() const noexcept { return tag; }
};

// Merges what a moment shows into what the moments before it showed. The order of painting stays: what
// is known, behind the last one that was used, is used again; otherwise it is put right behind that.
template <class Item, class Use>
void merge(std::vector<Item>& known, std::vector<Item> fresh, const Use& use) {
  std::unordered_map<std::string, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < known.size(); ++i) places[known[i].key()].push_back(i);
  std::vector<std::vector<Item>> behind(known.size() +
                                        1);  // new ones, by the known one they precede
  std::size_t free_from = 0;
  for (Item& item : fresh) {
    if (const auto found = places.find(item.key()); found != places.end()) {
      const auto at = std::ranges::lower_bound(found->second, free_from);
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
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;)
    text.replace(at, 1, "&#10;");
  return text;
}

class Panel {
 public:
  Panel(const Flipbook::Panel& panel, SvgClasses& classes, std::string_view prefix)
      : panel_(panel), classes_(classes), prefix_(prefix) {}

  std::string write() {
    for (std::size_t moment = 0; moment < panel_.scenes.size(); ++moment)
      merge(runs_, runs_of(moment),
            [](Run& run, Run& again) { merge_slots(run.slots, std::move(again.slots)); });
    const Scene& first = panel_.scenes.front();
    std::string out = fmt::format(
        "<svg class=\"scene\" viewBox=\"0 0 {} {}\" style=\"--w:{};--h:{}\" role=\"group\" "
        "aria-label=\"{}\">\n",
        svg_number(first.width), svg_number(first.height), svg_number(first.width),
        svg_number(first.height), xml_escaped(first.title));
    if (!first.description.empty())
      out += fmt::format("<desc>{}</desc>\n", xml_escaped(first.description));
    if (!shapes_.empty()) out += "<defs>" + shape_definitions_ + "</defs>\n";
    for (const Run& run : runs_) write_run(run, out);
    return out + "</svg>\n";
  }

 private:
  // Of a timed panel, a story stands in the group's first element only.
  std::string tag_of(const Group& group, bool told) const {
    std::string tag = fmt::format("<g data-id=\"{}\"", xml_escaped(group.id));
    if (!panel_.timed()) return tag;
    if (group.timed())
      tag += fmt::format(" data-begin=\"{}\" data-end=\"{}\"", svg_number(group.begin),
                         svg_number(group.end));
    if (!group.story.empty() && !told)
      tag += fmt::format(" aria-label=\"{}\"", label_of(group.story));
    return tag;
  }

  std::vector<Run> runs_of(std::size_t moment) {
    const Scene& scene = panel_.scenes[moment];
    std::set<std::size_t> pills;
    if (panel_.timed())
      for (const Traveller& traveller : travellers(scene))
        if (!traveller.label.empty()) pills.insert(traveller.label[0]);
    std::set<std::int32_t> told;
    std::vector<Run> runs;
    for (std::size_t i = 0; i < scene.marks.size(); ++i) {
      const std::int32_t group = scene.marks[i].group;
      if (i == 0 || group != scene.marks[i - 1].group) {
        runs.emplace_back();
        if (group >= 0)
          runs.back().tag =
              tag_of(scene.groups[static_cast<std::size_t>(group)], !told.insert(group).second);
      }
      std::string svg;
      if (pills.contains(i)) {
        svg = "<g class=\"pill\">" + svg_mark(scene.marks[i], classes_);
        svg += svg_mark(scene.marks[++i], classes_) + "</g>";
      } else if (!panel_.timed() && is_tile(scene, i)) {
        svg = tile(scene.marks[i], scene.marks[i + 1]);
        ++i;
      } else {
        svg = svg_mark(scene.marks[i], classes_);
      }
      runs.back().slots.push_back({std::move(svg), {moment}});
    }
    return runs;
  }

  // A box with its text, of which a grid has hundreds alike.
  static bool is_tile(const Scene& scene, std::size_t i) {
    if (i + 1 >= scene.marks.size()) return false;
    const Mark &box = scene.marks[i], &text = scene.marks[i + 1];
    return box.kind == Mark::Kind::box && text.kind == Mark::Kind::text &&
           box.group == text.group && text.rotated == 0 && text.box.inside(box.box.grown(4));
  }

  std::string tile(Mark box, Mark text) {
    const Point at{box.box.x, box.box.y};
    box.box.x = box.box.y = 0;
    text.origin = {text.origin.x - at.x, text.origin.y - at.y};
    const std::string shape = svg_mark(box, classes_) + svg_mark(text, classes_);
    const auto [found, fresh] = shapes_.try_emplace(shape, shapes_.size());
    if (fresh)
      shape_definitions_ += fmt::format("<g id=\"{}{}\">{}</g>", prefix_, found->second, shape);
    return fmt::format("<use href=\"#{}{}\" x=\"{}\" y=\"{}\"/>", prefix_, found->second,
                       svg_number(at.x), svg_number(at.y));
  }

  void write_run(const Run& run, std::string& out) const {
    if (!run.tag.empty()) out += run.tag + ">";
    for (std::size_t i = 0; i < run.slots.size();) {
      const Moments& moments = run.slots[i].moments;
      const bool always = moments.size() == panel_.scenes.size();
      if (!always) {
        // Without a script the last moment shows, as in a picture.
        const bool last = moments.back() + 1 == panel_.scenes.size();
        out += fmt::format("<g data-at=\"{}\"{}>", ranges_text(moments),
                           last ? "" : " display=\"none\"");
      }
      const std::size_t begin = i;
      for (; i < run.slots.size() && run.slots[i].moments == run.slots[begin].moments; ++i)
        out += run.slots[i].svg;
      if (!always) out += "</g>";
    }
    out += run.tag.empty() ? "\n" : "</g>\n";
  }

  const Flipbook::Panel& panel_;
  SvgClasses& classes_;
  const std::string prefix_;
  std::vector<Run> runs_;
  std::unordered_map<std::string, std::size_t> shapes_;
  std::string shape_definitions_;
};

}  // namespace

nlohmann::json panel_stories(const Flipbook::Panel& panel) {
  auto stories = nlohmann::json::object();
  if (panel.timed()) return stories;
  for (std::size_t moment = 0; moment < panel.scenes.size(); ++moment)
    for (const Group& group : panel.scenes[moment].groups) {
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
