// Draws the line and the form, and turns what is typed into `network link`.
#include "gui/views/scene/network_form.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "gui/state/run/sentence.h"

namespace rankscope::gui {
namespace {

constexpr double kLeastForLegend = 250, kLeastForLine = 200;  ///< Heights of the pane.
constexpr double kLegend = 24, kLine = 22, kFormRow = 32, kOffer = 34, kFormGap = 8, kField = 104;

/// Calls `place` with each name and where its button stands; the height of all.
template <class Place>
float offers_layout(const ViewContext& context, float width, const Place& place) {
  const Look& look = context.look;
  const Look::Face face = look.face({14, Font::Weight::regular, false});
  const float gap = look.px(kFormGap), line = look.px(kOffer);
  float x = 0, y = 0;
  for (const std::string& name : known_topologies()) {
    const float wide = face.extent(name).x + look.px(20);
    if (x > 0 && x + wide > width) x = 0, y += line;
    place(name, ImVec2{x, y}, wide);
    x += wide + gap;
  }
  return y + line;
}

std::string words_of(const TopologyLink& link) {
  return link.duplex == Duplex::half   ? "both directions together"
         : link.bandwidth == link.back ? "in each direction"
                                       : "there";
}

/// A projector shows no hints on editing.
bool is_shown_only(const ViewContext& context) {
  return context.look.projector() && context.state.network.link < 0;
}

}  // namespace

// Depends on the pane's height alone, so that a selection moves nothing.
NetworkForm::Rows NetworkForm::rows_of(const ViewContext& context, float room) {
  const Look& look = context.look;
  return room >= look.px(kLeastForLegend) ? Rows::all
         : room >= look.px(kLeastForLine) ? Rows::two
                                          : Rows::one;
}

float NetworkForm::height(const ViewContext& context, float room) {
  const Rows rows = rows_of(context, room);
  if (is_shown_only(context)) return context.look.px(kLine + (rows == Rows::all ? kLegend : 0));
  return context.look.px(kFormRow + (rows == Rows::one ? 0 : kLine) +
                         (rows == Rows::all ? kLegend : 0));
}

void NetworkForm::measure(const Topology& topology, const Scene& scene, const ScenePlace& place) {
  widths_.clear();
  half_ = false;
  std::int32_t last = -1;
  for (const Mark& mark : scene.marks) {
    if (mark.group < 0 || mark.group == last || mark.kind != Mark::Kind::path) continue;
    last = mark.group;
    int link = -1;
    const std::string& id = scene.groups[static_cast<std::size_t>(mark.group)].id;
    if (std::sscanf(id.c_str(), "link-%d", &link) != 1 || link < 0 ||
        link >= static_cast<int>(topology.links.size()))
      continue;
    const TopologyLink& one = topology.links[static_cast<std::size_t>(link)];
    widths_[std::max(one.bandwidth, one.back)] = static_cast<float>(mark.line_width * place.zoom);
    half_ = half_ || one.duplex == Duplex::half;
  }
}

// Colours of loads first, then as many widths as there is room for.
void NetworkForm::legend(const ViewContext& context, float width,
                         const std::string& load_of) const {
  const Look& look = context.look;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float middle = low.y + look.px(kLegend) / 2, right = low.x + width;
  look.push(12);
  float x = low.x;
  const auto words = [&](const std::string& text) {
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    list.AddText({x, middle - size.y / 2}, look.palette().muted, text.c_str());
    x += size.x;
  };
  const auto stroke = [&](float wide, float thick, const Ink& ink) {
    list.AddRectFilled({x, middle - thick / 2}, {x + wide, middle + thick / 2}, look.color(ink));
    x += wide;
  };
  if (!load_of.empty()) {
    constexpr int kCells = 20;
    stroke(look.px(16), look.px(8), {Tone::grid});
    x += look.px(6);
    words("idle");
    x += look.px(14);
    words("1 %");
    x += look.px(6);
    for (int i = 0; i < kCells; ++i)
      stroke(look.px(4), look.px(8), {Tone::load, 1 + i * 99 / (kCells - 1)});
    x += look.px(6);
    words("100 % " + load_of);
    x += look.px(24);
  }
  const auto entry = [&](float thick, const std::string& text) {
    const float wide = look.px(24 + 6 + 16) + ImGui::CalcTextSize(text.c_str()).x;
    if (x + wide > right) return false;
    stroke(look.px(24), std::clamp(thick, look.px(1), look.px(10)), {Tone::muted});
    x += look.px(6);
    words(text);
    x += look.px(16);
    return true;
  };
  for (auto rate = widths_.rbegin(); rate != widths_.rend(); ++rate)
    if (!entry(rate->second, bandwidth_text(rate->first, 4))) break;
  if (half_ && x + ImGui::CalcTextSize("hollow: shared by both directions").x <= right)
    words("hollow: shared by both directions");
  Look::pop();
}

void NetworkForm::draw(ViewContext& context, float width, float room, const std::string& now,
                       const std::string& load_of) {
  const Look& look = context.look;
  const NetworkState& network = context.state.network;
  const Rows rows = rows_of(context, room);
  ImVec2 low = ImGui::GetCursorScreenPos();
  if (rows == Rows::all) {
    legend(context, width, load_of);
    low.y += look.px(kLegend);
  }
  if (rows == Rows::one && network.link >= 0) return link_row(context, width);
  ImGui::SetCursorScreenPos(low);
  look.push(14);
  const bool broken = !network.unreachable.empty() && network.draft;
  const std::string text = broken ? "Unreachable: " + network.unreachable : now;
  const std::string fits = fitted_text(text, width);
  colored_text(broken ? look.palette().error : look.palette().text, fits);
  if (fits != text) hover_text(text);
  Look::pop();
  if (rows == Rows::one || is_shown_only(context)) return;
  ImGui::SetCursorScreenPos({low.x, low.y + look.px(kLine)});
  link_row(context, width);
}

void NetworkForm::load_fields(const AppState& state) {
  const NetworkState& network = state.network;
  std::string of = fmt::format("{} {}", network.link, network.id);
  if (of == of_) return;
  of_ = std::move(of);
  const TopologyLink& link = network.shown()->links[static_cast<std::size_t>(network.link)];
  const auto fill = [&](std::size_t which, const std::string& text) {
    std::snprintf(fields_[which].data(), fields_[which].size(), "%s", text.c_str());
  };
  fill(0, exact_bandwidth_text(link.bandwidth));
  fill(1, exact_bandwidth_text(link.back));
  fill(2, exact_seconds_text(link.latency));
}

bool NetworkForm::field(const ViewContext& context, const char* id, const char* title,
                        std::size_t which, float width) {
  ImGui::AlignTextToFramePadding();
  colored_text(context.look.palette().muted, title);
  ImGui::SameLine(0, context.look.px(6));
  ImGui::SetNextItemWidth(width);
  const bool entered = ImGui::InputText(id, fields_[which].data(), fields_[which].size(),
                                        ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine(0, context.look.px(kFormGap));
  return entered;
}

void NetworkForm::link_row(ViewContext& context, float width) {
  const Look& look = context.look;
  const NetworkState& network = context.state.network;
  const Topology& topology = *network.shown();
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(8), look.px(3)});
  if (network.link < 0 || network.link >= static_cast<int>(topology.links.size())) {
    ImGui::AlignTextToFramePadding();
    const std::string hint =
        topology.uniform_ranks > 0 ? "A uniform network has no links of its own to change."
        : network.linking
            ? "Drag from one node to another: a new link. Click a link to change or cut it."
            : "Click a link to change or cut it. Drag a node to move it; with Shift, to another "
              "node: a new link.";
    const std::string fits = fitted_text(hint, width);
    colored_text(look.palette().muted, fits);
    if (fits != hint) hover_text(hint);
    ImGui::PopStyleVar();
    return;
  }
  load_fields(context.state);
  const TopologyLink& link = topology.links[static_cast<std::size_t>(network.link)];
  const bool both = link.duplex == Duplex::half || link.bandwidth == link.back;
  const float one = look.px(kField);
  const bool narrow = width < look.px(both ? 640 : 820);
  ImGui::AlignTextToFramePadding();
  look.push(14, Font::Weight::semibold);
  ImGui::TextUnformatted(
      fitted_text(topology.link_name(network.link), width * (narrow ? 0.22F : 0.3F)).c_str());
  Look::pop();
  hover_text(fmt::format("{}: {} {}", topology.link_name(network.link),
                         bandwidth_text(link.bandwidth, 4), words_of(link)));
  ImGui::SameLine(0, look.px(12));
  bool entered = field(context, "##bandwidth", narrow ? "" : both ? "bandwidth" : "there", 0, one);
  if (!both) entered |= field(context, "##back", narrow ? "" : "back", 1, one);
  entered |= field(context, "##latency", narrow ? "" : "latency", 2, look.px(76));
  if (ImGui::Button("Change") || entered) apply(context);
  hover_text("Takes over what the fields say (Enter)");
  ImGui::SameLine(0, look.px(kFormGap));
  if (ImGui::Button("Cut")) context.commands.push(cmd::network_cut());
  hover_text("Takes the link away (Delete)");
  ImGui::PopStyleVar();
}

void NetworkForm::apply(ViewContext& context) const {
  const NetworkState& network = context.state.network;
  const Topology& topology = *network.shown();
  const TopologyLink& link = topology.links[static_cast<std::size_t>(network.link)];
  const auto links = links_between(topology, link.a, link.b);
  const auto nth = ranges::find(links, network.link) - links.begin() + 1;
  Texts words{fields_[0].data(), fields_[2].data()};
  if (link.duplex == Duplex::full && link.bandwidth != link.back)
    words.push_back(fmt::format("back={}", fields_[1].data()));
  if (nth > 1) words.push_back(fmt::format("nth={}", nth));
  context.commands.push(
      cmd::network_link(topology.name_of(link.a), topology.name_of(link.b), words));
}

float NetworkForm::offers_height(const ViewContext& context, float width) {
  if (known_topologies().empty()) return 0;
  return offers_layout(context, width, [](const std::string&, ImVec2, float) {}) +
         context.look.px(kLine);
}

void NetworkForm::draw_offers(ViewContext& context, float width) {
  const Look& look = context.look;
  if (known_topologies().empty()) return;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  caption(look, "Open a topology");
  const float top = low.y + look.px(kLine);
  look.push(14);
  offers_layout(context, width, [&](const std::string& name, ImVec2 at, float wide) {
    ImGui::SetCursorScreenPos({low.x + at.x, top + at.y});
    if (ImGui::Button(name.c_str(), {wide, look.px(kOffer - kFormGap)}))
      context.commands.push(cmd::network_open(name));
  });
  Look::pop();
}

}  // namespace rankscope::gui
