// The public side of a group of boxes: passes starts, stops and queries on to the supervisor
// thread.
#include "engine/box/box_group.h"

#include <utility>

#include "engine/box/supervisor.h"

namespace rankscope {

const char* name_of(BoxEnd end) {
  switch (end) {
    case BoxEnd::running: return "running";
    case BoxEnd::ended: return "ended";
    case BoxEnd::killed_by: return "killed_by";
    case BoxEnd::could_not_start: return "could_not_start";
    case BoxEnd::stopped: return "stopped";
    case BoxEnd::wall_time: return "wall_time";
    case BoxEnd::cpu_time: return "cpu_time";
    case BoxEnd::memory: return "memory";
    case BoxEnd::processes: return "processes";
    case BoxEnd::output: return "output";
    case BoxEnd::disk: return "disk";
  }
  return "?";
}

BoxGroup::BoxGroup(const BoxSupport& support, const BoxLimits& limits) {
  require_boxes(support);
  supervisor_ = std::make_unique<Supervisor>(support, limits);
}

BoxGroup::~BoxGroup() = default;

uid_t BoxGroup::uid() const noexcept { return supervisor_->user().uid(); }

gid_t BoxGroup::gid() const noexcept { return supervisor_->user().gid(); }

void BoxGroup::on_end(std::function<void(std::size_t box, const BoxOutcome&)> callback) {
  supervisor_->on_end = std::move(callback);
}

void BoxGroup::start(std::vector<BoxSpec> specs) { supervisor_->start(std::move(specs)); }

bool BoxGroup::wait(std::chrono::milliseconds limit) { return supervisor_->wait(limit); }

int BoxGroup::done_fd() const noexcept { return supervisor_->done_fd(); }

void BoxGroup::stop(const std::string& words) { supervisor_->stop(words); }

const BoxGroupOutcome& BoxGroup::outcome() const { return supervisor_->outcome(); }

}  // namespace rankscope
