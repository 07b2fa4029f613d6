// Commands about lessons.
#pragma once

#include <optional>
#include <string>

#include "gui/state/app/command_group.h"
#include "gui/state/app/script_commands.h"
#include "gui/state/lesson/lesson_controller.h"

namespace rankscope::gui {

class LessonCommands : public CommandGroup {
 public:
  explicit LessonCommands(App& app);
  void update(double seconds, bool& news);
  bool busy() const { return room_.busy(); }
  LessonController& room() noexcept { return room_; }
  /// Starts a lesson's run. The student's own job returns when the lesson leaves that run.
  void start(const JobSpec& job);
  /// Assigns the lesson's current work to a script's line.
  void asked_by(const ScriptLine& line) {
    if (busy()) line_ = line;
  }

  // ---- The commands ----
  void answer(const Arguments& words) { room_.answer(words[0], words.rest(1)); }
  void fill(const Arguments& words) { room_.fill(words[0], words[1], words.rest(2)); }
  void check(const std::string& question) { room_.check(question); }
  void hint(const std::string& question) { room_.hint(question); }
  void reveal(const std::string& what) { room_.reveal(what); }
  void unlock(const std::string& what) { room_.unlock(what); }
  void lesson(const Arguments& words);
  void check_list(const Arguments& words);
  void hand_in(const Arguments& words);
  void figure(const Arguments& words);
  void student(const Arguments& words);
  void hands(const Arguments& words);
  void lecture(const Arguments& words);
  void lecturer(const Arguments& words);
  void show_run(const Arguments& words);
  void look_at(const std::string& exercise);
  void leave_foreign_run();

 private:
  void turn_page(const std::string& where);
  void open_item(const std::string& lesson, const std::string& id);
  void follow_lesson();
  void show_first_run();
  void show_beside_text(const std::string& run);
  bool has_lessons_run() const;
  void keep_own_job();
  void follow_view();
  void set_stage(const Question* question, const std::string& id);
  const Block* run_above(const Question* question, const std::string& id) const;

  LessonController room_;
  std::optional<ScriptLine> line_;
  std::optional<JobSpec> shown_job_;        ///< The lesson's run that was shown last.
  std::optional<JobSpec> own_job_;          ///< The student's job before it.
  std::shared_ptr<const Lesson> followed_;  ///< The lesson that was last open.
  std::string staged_;         ///< The question or exercise with its picture on the stage.
  int sought_ = 0;             ///< The number of searches until then.
  std::uint64_t opening_ = 0;  ///< The opening whose answers undo brings back.
};

}  // namespace rankscope::gui
