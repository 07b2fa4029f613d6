// Commands about files: traces opened, compared, saved and exported.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/state/app/command_group.h"
#include "gui/state/app/script_commands.h"
#include "gui/state/model/export_job.h"
#include "gui/state/run/large_run.h"

namespace rankscope::gui {

class FileCommands : public CommandGroup {
 public:
  explicit FileCommands(App& app) : CommandGroup(app) {}
  void update(double seconds, bool& news);
  ~FileCommands();
  bool busy() const { return loading_.valid() || exporting_ != nullptr || parts_.busy(); }
  /// Returns whether the picture of a run is an estimate that is being improved.
  bool counts() const { return counter_.busy(); }

  void load(const std::string& path, bool as_other);
  void show(DocumentPtr document, bool same_run);
  void remember_file(const std::string& path);
  /// Returns the file of the shown trace, or empty.
  std::string trace_file() const;
  /// Opens the first of the files that were dropped on the window, and compares it with a second trace.
  void drop(const std::vector<std::string>& files);

  // ---- The commands ----
  void open(const Arguments& words);
  void compare(const Arguments& words);
  void meant(const Arguments& words);
  void save(const Arguments& words);
  void workspace(const Arguments& words);
  void export_view(const Arguments& words);
  void stop_export();
  void stop_reading();

 private:
  struct Loaded {
    DocumentPtr document;
    std::string error;
    bool as_other = false;
    bool rest = false;                    ///< The whole of a run that is shown in part.
    std::vector<std::string> meant = {};  ///< The words of `meant`.
    std::string judged;  ///< The verdict on the same run, compared with another collective.
  };
  /// Loads in the background; an exception is the error.
  void load(std::function<Loaded()> read);
  void show_loaded(const Loaded& loaded);
  void show_judged(const Loaded& loaded);
  void show_rest(const Loaded& loaded);
  void load_rest();
  /// Throws UserError while a ghost run is shown.
  void refuse_ghost(std::string_view what) const;
  void take_exported(bool& news);
  void follow_part(bool& news);
  void take_counted(bool& news);
  /// Frees a document in the background: a large one takes longer than a frame.
  void discard(DocumentPtr document);

  std::shared_ptr<Reading> reading_ = std::make_shared<Reading>();
  std::future<Loaded> loading_;
  PartReader parts_;
  RunCounter counter_;
  std::unique_ptr<ExportJob> exporting_;  ///< Null while nothing is written.
  std::optional<ScriptLine> load_asked_by_, export_asked_by_;
  std::vector<DocumentPtr> discarded_;
  std::future<void> discarding_;
  std::vector<std::string> meant_;  ///< The words of `meant` for this trace.
  std::string saved_as_;            ///< The file of a run of this window, if it was saved.
};

}  // namespace rankscope::gui
