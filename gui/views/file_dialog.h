// The box that asks for a file: places, a folder's files, a preview of traces, and the kind to save as.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gui/state/files/file_choice.h"
#include "gui/views/base/view.h"

namespace rankscope::gui {

class FileDialog {
 public:
  FileDialog();
  ~FileDialog();
  /// Opens the box of a command that asks for a file; "" closes it.
  void ask(const std::string& command);
  bool open() const noexcept { return !command_.empty(); }
  void draw(ViewContext& context);

 private:
  struct Made;
  void begin(const ViewContext& context, NameBox::Files use);
  void field(ViewContext& context, const NameBox& box);
  void places(ViewContext& context, float width, float height);
  void list(ViewContext& context, float width, float height);
  void row(ViewContext& context, const FileRow& row, bool chosen);
  void preview(ViewContext& context, float width, float height);
  void foot(ViewContext& context, const NameBox& box);
  void question(ViewContext& context);
  /// Goes into a folder, asks before a file is replaced, or carries the command out.
  void accept(ViewContext& context);
  void carry_out(ViewContext& context, const std::string& path);
  void go_to(const std::string& folder);
  void type(const std::string& text);
  std::string typed() const { return text_.data(); }
  const FileKind& kind() const { return kinds_[kind_]; }

  std::string command_, folder_, replaces_;
  NameBox::Files use_ = NameBox::Files::none;
  std::vector<FileKind> kinds_;
  std::size_t kind_ = 0;
  std::vector<FilePlace> places_;
  std::array<char, 1024> text_{};
  std::uint64_t opened_ = 0;  ///< How often it was opened.
  int marked_ = -1;           ///< A row chosen by the arrow keys.
  bool just_opened_ = false, awaiting_ = false, to_end_ = false;
  std::unique_ptr<Made> made_;
};

}  // namespace rankscope::gui
