// `rankscope man` and `rankscope completion`.
#include <memory>

#include "cli/commands.h"
#include "cli/help.h"

namespace rankscope::cli {

Action define_man(OptionList app) {
  const CLI::App* root = &app.program();
  return [root](const Console& console) {
    console.print_raw(man_page(*root));
    return kOk;
  };
}

Action define_completion(OptionList app) {
  const CLI::App* root = &app.program();
  const auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", "bash|zsh|fish", *shell, "Which shell").required();
  return [root, shell](const Console& console) {
    console.print_raw(completion_script(*root, *shell));
    return kOk;
  };
}

}  // namespace rankscope::cli
