// Shows what a student's program and its compiler printed.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/text.h"
#include "gui/views/base/compat.h"
#include "gui/views/base/view_makers.h"

namespace rankscope::gui {
namespace {

constexpr std::size_t kLeastColumns = 20;

class OutputView final : public View {
 public:
  void draw(ViewContext& context) override {
    const ProgramState& program = context.state.program;
    if (!program.open())
      return draw_empty(context, "No program is open",
                        "Open a .py, .cpp or .ipynb file (Ctrl+O): what it prints stands here.");
    if (program.output.empty())
      return draw_empty(context, program.running() ? "It is running" : "It printed nothing", "");
    const Look& look = context.look;
    look.push(12, Font::Weight::regular, true);
    compat::begin_child("output", {0, 0}, 0);
    const float columns = ImGui::GetContentRegionAvail().x / ImGui::CalcTextSize("0").x;
    take(program.output, std::max<std::size_t>(kLeastColumns, static_cast<std::size_t>(columns)));
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
  void take(const std::string& output, std::size_t columns) {
    if (text_ == output && columns_ == columns) return;
    text_ = output;
    columns_ = columns;
    lines_.clear();
    for (const std::string_view line : lines_of(text_)) wrap(line);
  }

  // Breaks a line, at blanks where there are some, by columns, since all letters are equally wide.
  void wrap(std::string_view line) {
    std::size_t blank = 0, at = 0;
    for (std::size_t column = 0; at < line.size(); ++column) {
      if (column == columns_) {
        const std::size_t cut = blank > 0 ? blank : at;
        lines_.push_back(line.substr(0, cut));
        line.remove_prefix(cut);
        blank = at = column = 0;
      }
      if (line[at] == ' ') blank = at + 1;
      (void)next_character(line, at);
    }
    lines_.push_back(line);
  }

  std::string text_;
  std::size_t columns_ = 0;
  std::vector<std::string_view> lines_;  ///< Rows, as parts of the text.
};

}  // namespace

std::unique_ptr<View> make_output_view() { return std::make_unique<OutputView>(); }

}  // namespace rankscope::gui
