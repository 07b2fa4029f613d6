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
  /// Starts a run that a lesson shows; the student's own job comes back when the lesson leaves it.
  void start(const JobSpec& job);
  /// The lesson's current work belongs to this line.
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
  std::optional<JobSpec> shown_job_;        ///< The run that a lesson showed last.
  std::optional<JobSpec> own_job_;          ///< The job that stood in its place before.
  std::shared_ptr<const Lesson> followed_;  ///< The lesson that was last open.
  std::string staged_;                      ///< The question or exercise whose picture was put.
  int sought_ = 0;                          ///< How often something had been sought then.
  std::uint64_t opening_ = 0;               ///< The opening whose answers undo brings back.
};

}  // namespace rankscope::gui
