// Turns drags into the commands `network move` and `network link`.
#include "gui/views/scene/network_drag.h"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/network/topology_layout.h"

namespace rankscope::gui {
namespace {

constexpr double kMoved = 5;    ///< Pixels that are no click any more.
constexpr double kReach = 6;    ///< Around a node, in the scene.
constexpr double kGrid = 0.05;  ///< Places that are dropped are whole multiples of it.

double on_grid(double place) { return std::round(place / kGrid) * kGrid; }

std::string number_text(double value) { return fmt::format("{:.2f}", value == 0 ? 0 : value); }

}  // namespace

void NetworkDrag::find_nodes(const Topology& topology, const Scene& scene) {
  nodes_.clear();
  std::int32_t last = -1;
  for (const Mark& mark : scene.marks) {
    if (mark.group < 0 || mark.group == last || mark.kind != Mark::Kind::box) continue;
    last = mark.group;
    const std::string& id = scene.groups[static_cast<std::size_t>(mark.group)].id;
    int number = -1;
    if (std::sscanf(id.c_str(), "rank-%d", &number) == 1) {
      if (number < 0 || number >= static_cast<int>(topology.rank_nodes.size())) continue;
      nodes_.push_back({topology.rank_nodes[static_cast<std::size_t>(number)], mark.box});
    } else if (std::sscanf(id.c_str(), "node-%d", &number) == 1) {
      nodes_.push_back({number, mark.box});
    }
  }
}

const NetworkDrag::Node* NetworkDrag::node_at(Point at) const {
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node)
    if (node->box.grown(kReach).contains(at)) return &*node;
  return nullptr;
}

const NetworkDrag::Node* NetworkDrag::node_numbered(int number) const {
  const auto found = ranges::find(nodes_, number, &Node::number);
  return found == nodes_.end() ? nullptr : &*found;
}

bool NetworkDrag::takes_mouse(ViewContext& context, const ScenePlace& place, bool hovered) {
  const Topology* const topology = context.state.network.shown();
  if (topology == nullptr || topology->uniform_ranks > 0) return held_.reset(), false;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Point at = place.back(mouse);
  if (!held_) {
    const Node* const under = hovered ? node_at(at) : nullptr;
    if (under == nullptr || !ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return false;
    held_ =
        Held{under->number, mouse, false, context.state.network.linking || ImGui::GetIO().KeyShift};
    return true;
  }
  const float dx = mouse.x - held_->from.x, dy = mouse.y - held_->from.y;
  if (std::hypot(dx, dy) > context.look.px(kMoved)) held_->moved = true;
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return true;
  drop(context, at);
  held_.reset();
  return true;
}

void NetworkDrag::drop(ViewContext& context, Point at) {
  const Topology& topology = *context.state.network.shown();
  if (held_->node >= static_cast<int>(topology.nodes.size())) return;
  const TopologyNode& node = topology.nodes[static_cast<std::size_t>(held_->node)];
  if (!held_->moved) {
    const auto rank = ranges::find(topology.rank_nodes, held_->node);
    if (rank == topology.rank_nodes.end() || !context.state.has_trace()) return;
    const auto number = rank - topology.rank_nodes.begin();
    if (number < context.state.document->world_size())
      context.commands.push(cmd::select(Thing::rank, number));
    return;
  }
  if (held_->links) {
    const Node* const to = node_at(at);
    if (to == nullptr || to->number == held_->node) return;
    context.commands.push(cmd::network_link(node.name, topology.name_of(to->number), {}));
    return;
  }
  const Node* const was = node_numbered(held_->node);
  if (was == nullptr) return;
  const double unit = topology_layout(topology).unit;
  const Point middle = was->box.center();
  context.commands.push(cmd::network_move(node.name,
                                          number_text(on_grid(node.x + (at.x - middle.x) / unit)),
                                          number_text(on_grid(node.y + (at.y - middle.y) / unit))));
}

void NetworkDrag::draw(const ViewContext& context, ImDrawList& list, const Scene& scene,
                       const ScenePlace& place) {
  const Topology* const topology = context.state.network.shown();
  if (topology == nullptr) return;
  find_nodes(*topology, scene);
  if (!held_ || !held_->moved) return;
  const Node* const from = node_numbered(held_->node);
  if (from == nullptr) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const ImU32 ink = context.look.palette().accent;
  const float thick = context.look.px(2);
  const auto radius = static_cast<float>(from->box.height / 2 * place.zoom);
  if (held_->links) {
    const Node* const to = node_at(place.back(mouse));
    const bool lands = to != nullptr && to != from;
    list.AddLine(place.at(from->box.center()), lands ? place.at(to->box.center()) : mouse, ink,
                 thick);
    for (const Node* const end : {from, lands ? to : from})
      list.AddRect(place.at({end->box.x - 3, end->box.y - 3}),
                   place.at({end->box.right() + 3, end->box.bottom() + 3}), ink,
                   static_cast<float>((end->box.height / 2 + 3) * place.zoom), 0, thick);
    return;
  }
  // Its links go with it.
  for (const TopologyLink& link : topology->links) {
    if (link.a != from->number && link.b != from->number) continue;
    const Node* const other = node_numbered(link.a == from->number ? link.b : link.a);
    if (other != nullptr)
      list.AddLine(mouse, place.at(other->box.center()), with_alpha(ink, 120), thick);
  }
  list.AddCircle(mouse, radius, ink, 0, thick);
}

}  // namespace rankscope::gui
