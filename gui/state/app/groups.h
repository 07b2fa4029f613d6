// All groups of commands, in the order in which they are listed and updated.
#pragma once

#include "gui/state/app/answer_commands.h"
#include "gui/state/app/change_commands.h"
#include "gui/state/app/code_commands.h"
#include "gui/state/app/display_commands.h"
#include "gui/state/app/edit_commands.h"
#include "gui/state/app/exec_commands.h"
#include "gui/state/app/file_commands.h"
#include "gui/state/app/lecture_commands.h"
#include "gui/state/app/lesson_commands.h"
#include "gui/state/app/network_commands.h"
#include "gui/state/app/overlap_commands.h"
#include "gui/state/app/playback_commands.h"
#include "gui/state/app/predict_commands.h"
#include "gui/state/app/race_commands.h"
#include "gui/state/app/record_commands.h"
#include "gui/state/app/run_commands.h"
#include "gui/state/app/scene_commands.h"
#include "gui/state/app/schedule_commands.h"
#include "gui/state/app/script_commands.h"
#include "gui/state/app/training_commands.h"
#include "gui/state/app/view_commands.h"
#include "gui/state/app/what_if_commands.h"

namespace rankscope::gui {

template <class... Each>
struct GroupsOf : Each... {
  explicit GroupsOf(App& app) : Each(app)... {}
  template <class Do>
  void for_each(Do&& act) {
    (act(static_cast<Each&>(*this)), ...);
  }
};

struct App::Groups final
    : GroupsOf<RunCommands, ChangeCommands, RaceCommands, TrainingCommands, OverlapCommands,
               NetworkCommands, ScheduleCommands, LessonCommands, AnswerCommands, LectureCommands,
               CodeCommands, ExecCommands, FileCommands, WhatIfCommands, PlaybackCommands,
               SceneCommands, RecordCommands, PredictCommands, ViewCommands, DisplayCommands,
               ScriptCommands, EditCommands> {
  using GroupsOf::GroupsOf;
};

template <class Group>
Group& App::group() const {
  return static_cast<Group&>(*groups_);
}

}  // namespace rankscope::gui
