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

// A mark of some moments, with the group that it has there.
struct Slot {
  std::string group;  // the opening tag; empty: none
  std::string svg;
  Moments moments;
};

std::string label_of(const std::string& story) {
  std::string text = xml_escaped(story);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;)
    text.replace(at, 1, "&#10;");
  return text;
}

class Panel {
 public:
  Panel(const Flipbook::Panel& panel, SvgClasses& classes) : panel_(panel), classes_(classes) {}

  std::string write() {
    for (std::size_t moment = 0; moment < panel_.scenes.size(); ++moment)
      merge(slots_of(moment), moment);
    const Scene& first = panel_.scenes.front();
    std::string out = fmt::format(
        "<svg class=\"scene\" viewBox=\"0 0 {} {}\" style=\"--w:{};--h:{}\" role=\"group\" "
        "aria-label=\"{}\">\n",
        svg_number(first.width), svg_number(first.height), svg_number(first.width),
        svg_number(first.height), xml_escaped(first.title));
    if (!first.description.empty())
      out += fmt::format("<desc>{}</desc>\n", xml_escaped(first.description));
    write_slots(out);
    return out + "</svg>\n";
  }

 private:
  std::string open_tag(const Group& group) const {
    std::string tag = fmt::format("<g data-id=\"{}\"", xml_escaped(group.id));
    if (!panel_.timed()) return tag;
    if (group.timed())
      tag += fmt::format(" data-begin=\"{}\" data-end=\"{}\"", svg_number(group.begin),
                         svg_number(group.end));
    if (!group.story.empty()) tag += fmt::format(" aria-label=\"{}\"", label_of(group.story));
    return tag;
  }

  std::vector<Slot> slots_of(std::size_t moment) {
    const Scene& scene = panel_.scenes[moment];
    std::set<std::size_t> pills, texts;
    if (panel_.timed())
      for (const Traveller& traveller : travellers(scene))
        if (!traveller.label.empty())
          pills.insert(traveller.label[0]), texts.insert(traveller.label[1]);
    std::vector<Slot> slots;
    for (std::size_t i = 0; i < scene.marks.size(); ++i) {
      const Mark& mark = scene.marks[i];
      Slot slot;
      slot.svg = svg_mark(mark, classes_);
      if (pills.contains(i)) slot.svg = "<g class=\"pill\">" + slot.svg;
      if (texts.contains(i)) slot.svg += "</g>";
      if (mark.group >= 0)
        slot.group = open_tag(scene.groups[static_cast<std::size_t>(mark.group)]);
      slots.push_back(std::move(slot));
    }
    return slots;
  }

  // The order in which marks are painted stays: a slot behind the last one that was used is used
  // again, otherwise a new one is put right behind that.
  void merge(std::vector<Slot> fresh, std::size_t moment) {
    std::unordered_map<std::string, std::vector<std::size_t>> known;
    for (std::size_t i = 0; i < slots_.size(); ++i) known[key(slots_[i])].push_back(i);
    std::vector<std::vector<Slot>> behind(slots_.size() + 1);  // new ones, by the slot before them
    std::size_t free_from = 0;
    for (Slot& slot : fresh) {
      const auto found = known.find(key(slot));
      if (found != known.end()) {
        const auto at = std::ranges::lower_bound(found->second, free_from);
        if (at != found->second.end()) {
          slots_[*at].moments.push_back(moment);
          free_from = *at + 1;
          continue;
        }
      }
      slot.moments = {moment};
      behind[free_from].push_back(std::move(slot));
    }
    std::vector<Slot> merged;
    for (std::size_t i = 0; i <= slots_.size(); ++i) {
      std::ranges::move(behind[i], std::back_inserter(merged));
      if (i < slots_.size()) merged.push_back(std::move(slots_[i]));
    }
    slots_ = std::move(merged);
  }

  static std::string key(const Slot& slot) { return slot.group + slot.svg; }

  // One <g> for what follows each other with the same group and the same moments. A group's story
  // stands in its first element only.
  void write_slots(std::string& out) const {
    std::set<std::string> told;
    for (std::size_t i = 0; i < slots_.size();) {
      std::size_t end = i + 1;
      while (end < slots_.size() && slots_[end].group == slots_[i].group &&
             slots_[end].moments == slots_[i].moments)
        ++end;
      const bool always = slots_[i].moments.size() == panel_.scenes.size();
      const bool wrapped = !always || !slots_[i].group.empty();
      if (wrapped) {
        std::string tag = slots_[i].group.empty() ? "<g" : slots_[i].group;
        if (panel_.timed() && !slots_[i].group.empty() && !told.insert(tag).second)
          tag = tag.substr(0, tag.find(" aria-label="));
        if (!always) tag += fmt::format(" data-at=\"{}\"", ranges_text(slots_[i].moments));
        // Without a script the last moment shows, as in a picture.
        if (!always && slots_[i].moments.back() + 1 != panel_.scenes.size())
          tag += " display=\"none\"";
        out += tag + ">";
      }
      for (; i < end; ++i) out += slots_[i].svg;
      out += wrapped ? "</g>\n" : "\n";
    }
  }

  const Flipbook::Panel& panel_;
  SvgClasses& classes_;
  std::vector<Slot> slots_;
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

std::string panel_svg(const Flipbook::Panel& panel, SvgClasses& classes) {
  return Panel(panel, classes).write();
}

}  // namespace rankscope
