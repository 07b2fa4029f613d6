// Commands about answers that are given in a picture: the run that is asked about, messages drawn into it, and where a
// wrong prediction parts from it.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "gui/state/app/command_group.h"

namespace rankscope::gui {

class AnswerCommands : public CommandGroup {
 public:
  explicit AnswerCommands(App& app) : CommandGroup(app) {}
  void update(double seconds, bool& news);
  /// Shows the answer to the question that opened this run beside it. Returns false if no picture has room for it.
  bool compare_with(const LessonRun& run);
  /// Shows a question's run at the question's moment; returns false for a question without a run. The rest of the run stays
  /// closed until a question about values is answered. With `may_stay`, a run that is already shown keeps its moment.
  bool show_beside(const Question& question, bool may_stay);
  /// Returns whether the shown trace is the last question's run.
  bool fits() const;
  void stop_asking() { state_.lesson.asked = {}, state_.lesson.prediction = {}; }

  // ---- The commands ----
  void ask(const Arguments& words);
  void draw(const Arguments& words);
  void parting();

 private:
  void ask_about_run(const Question& question, const QuestionState& asked, const std::string& run);
  void show_view(std::string_view name);
  /// Repeats the run of an answer with steps when steps before the drawn one change.
  void follow_trial(const Question& question, const QuestionState& asked);
  bool show_trial();
  void follow_verdict(const Question& question, const QuestionState& asked);
  void find_parting(const Question& question, const QuestionState& asked, bool own_run);
  bool is_answered_by(const Question& question, const QuestionState& asked, const JobSpec& job);
  void follow_asked(bool& news);
  /// Keeps the run closed after the question's moment until there is an answer.
  void hold_back();

  /// The run whose end is closed: the question, its document, and the last round that is open.
  struct Held {
    std::string question;
    std::uint64_t document = 0, opening = 0;
    double round = 0;
  };
  Held held_;
  double begins_ = 0;      ///< The question's round.
  std::string algorithm_;  ///< The algorithm of the question's run; empty for the answer's own run.
  int ranks_ = 0;
  std::uint64_t trial_shown_ = 0;  ///< The document of the answer's own run; 0 until it is made.
  nlohmann::json tried_;           ///< Its moves.
  int tried_step_ = -1, shown_step_ = -1;
  std::tuple<std::string, std::uint64_t, int, bool, bool>
      judged_;  ///< Identifies the state for which the prediction was judged.
};

}  // namespace rankscope::gui
