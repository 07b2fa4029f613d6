// Commands about how everything looks, and about what lies over the panes.
#pragma once

#include <optional>
#include <string>

#include "gui/state/app/command_group.h"

namespace rankscope::gui {

class DisplayCommands : public CommandGroup {
 public:
  explicit DisplayCommands(App& app) : CommandGroup(app) {}
  /// Sets the look of this window only. Throws UserError.
  void look_for_now(const std::string& theme, std::optional<double> scale);
  /// Returns the settings without that look.
  Settings remembered() const;

  // ---- The commands ----
  /// A script ends the program at once; a person who would lose something, the second time.
  void quit(const Arguments& words);
  void theme(const Arguments& words);
  void scale(const Arguments& words);
  void bigger();
  void smaller();
  void curtain(const Arguments& words);
  void labels(const Arguments& words);
  void present(const Arguments& words);
  void welcome(const Arguments& words);
  void tour(const Arguments& words);

 private:
  void set_scale(double scale);

  /// The user's own choice, and this window's.
  std::optional<ThemeKind> own_theme_, theme_for_now_;
  std::optional<double> own_scale_, scale_for_now_;
};

}  // namespace rankscope::gui
