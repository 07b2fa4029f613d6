// Shows what a student's program and its compiler printed.
#include <algorithm>
#include <string_view>
#include <vector>

#include "gui/views/base/compat.h"
#include "gui/views/base/view_makers.h"

namespace rankscope::gui {
namespace {

class OutputView final : public View {
 public:
  void draw(ViewContext& context) override {
    const ProgramState& program = context.state.program;
    if (!program.open())
      return draw_empty(context, "No program is open",
                        "Open a .py, .cpp or .ipynb file (Ctrl+O): what it prints stands here.");
    if (program.output.empty())
      return draw_empty(context, program.running() ? "It is running" : "It printed nothing", "");
    take(program.output);
    const Look& look = context.look;
    look.push(12, Font::Weight::regular, true);
    compat::begin_child("output", {0, 0}, ImGuiWindowFlags_HorizontalScrollbar);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(lines_.size()));
    while (clipper.Step())
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const std::string_view line = lines_[static_cast<std::size_t>(i)];
        ImGui::TextUnformatted(line.data(), line.data() + line.size());
      }
    ImGui::EndChild();
    Look::pop();
  }
  void controls(ViewContext& context) override {
    const std::string& output = context.state.program.output;
    if (!output.empty() && head_button(context, "copy", false, "Copies all of it"))
      ImGui::SetClipboardText(output.c_str());
  }

 private:
  void take(const std::string& output) {
    if (text_ == output) return;
    text_ = output;
    lines_.clear();
    for (std::string_view rest = text_; !rest.empty();) {
      const auto end = std::min(rest.find('\n'), rest.size());
      lines_.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  std::string text_;
  std::vector<std::string_view> lines_;
};

}  // namespace

std::unique_ptr<View> make_output_view() { return std::make_unique<OutputView>(); }

}  // namespace rankscope::gui
