// Runs the boxes of a group side by side: starts them, enforces their common limits, ends them together
// and says how each one ended.
#include "engine/box/box_group.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/box/bwrap_arguments.h"
#include "engine/core/base/error.h"
#include "engine/core/base/process_stat.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

using std::chrono::milliseconds;

// Between two looks a program can touch as much memory as the processors write in this time: some ten
// MiB each.
constexpr milliseconds kBetweenLooks{20};
// At most a twentieth of one processor is spent on looking.
constexpr int kLookShare = 20;
constexpr milliseconds kLongestBetweenLooks{200};
// The limit for making a box, without its program; a box usually stands within some milliseconds.
constexpr milliseconds kStartLimit{20'000};

Fd event_fd() {
  Fd fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!fd) throw UserError(fmt::format("cannot make an event for boxes: {}", std::strerror(errno)));
  return fd;
}

void signal(const Fd& event) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event.get(), &one, sizeof(one));
}

const BoxSupport& supported(const BoxSupport& support) {
  require_boxes(support);
  return support;
}

// Removes the files of users without processes from the folders that everybody may write.
void remove_files_of(const std::vector<uid_t>& users) {
  namespace fs = std::filesystem;
  for (const char* folder : {"/tmp", "/var/tmp", "/dev/shm"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      struct stat status {};
      if (::lstat(entry.path().c_str(), &status) == 0 &&
          ranges::find(users, status.st_uid) != users.end())
        fs::remove_all(entry.path(), ignored);
    }
  }
}

void clear(const Fd& event) {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(event.get(), &count, sizeof(count));
}

}  // namespace

const char* name_of(BoxEnd end) {
  constexpr const char* kNames[] = {"running",   "ended",     "killed_by", "could_not_start",
                                    "stopped",   "wall_time", "cpu_time",  "memory",
                                    "processes", "output",    "disk"};
  return kNames[static_cast<std::size_t>(end)];
}

BoxGroup::BoxGroup(const BoxSupport& support, const BoxLimits& limits, int others)
    : support_(supported(support)),
      limits_(limits),
      user_(support.sandbox || support.other_user),
      wake_(event_fd()) {
  for (int i = 0; support.other_user && i < others; ++i) {
    other_users_.emplace_back(true);
    other_uids_.push_back(other_users_.back().uid());
  }
}

BoxGroup::~BoxGroup() {
  if (!thread_.joinable()) return;
  stop("was stopped");
  thread_.join();
}

void BoxGroup::start(std::vector<BoxSpec> specs) {
  if (thread_.joinable()) throw UserError("a group of boxes starts once");
  if (specs.empty()) throw UserError("a group of boxes has no box");
  for (const auto& spec : specs) {
    if (spec.argv.empty()) throw UserError("a box has no program to run");
    helper_numbers(spec);  // refuses what cannot be arranged
  }
  thread_ = std::thread([this, specs = std::move(specs)]() mutable { run(std::move(specs)); });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return all_started_; });
  if (mistake_) std::rethrow_exception(mistake_);
}

bool BoxGroup::wait(milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return done_; });
}

std::optional<BoxEntrance> BoxGroup::entrance(milliseconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [&] { return stands_ || done_; });
  return std::exchange(entrance_, std::nullopt);
}

bool BoxGroup::admit(pid_t process) {
  const std::lock_guard lock(mutex_);  // the control group goes with the last box
  return !done_ && (support_.cgroup.empty() || (cgroup_ && cgroup_->take(process)));
}

std::optional<double> BoxGroup::runnable_s() {
  const std::lock_guard lock(mutex_);
  std::optional<double> sum;
  for (const Fd& proc : procs_)
    if (const auto one = rankscope::runnable_s(proc.get())) sum = sum.value_or(0) + *one;
  return sum;
}

void BoxGroup::stop(const std::string& words) {
  {
    const std::lock_guard lock(mutex_);
    if (stop_wanted_) return;
    stop_wanted_ = true;
    stop_words_ = words;
  }
  signal(wake_);
}

void BoxGroup::run(std::vector<BoxSpec> specs) {
  try {
    start_all(specs);
    specs.clear();
  } catch (...) {
    mistake_ = std::current_exception();
    boxes_.clear();
    collected_.clear();
  }
  {
    const std::lock_guard lock(mutex_);
    all_started_ = true;
  }
  changed_.notify_all();
  supervise();
  boxes_.clear();
  if (support_.other_user && user_.other()) {
    auto users = other_uids_;
    users.push_back(user_.uid());
    remove_files_of(users);
  }
  {
    const std::lock_guard lock(mutex_);
    cgroup_.reset();
    procs_.clear();
    done_ = true;
  }
  changed_.notify_all();
}

void BoxGroup::start_all(std::vector<BoxSpec>& specs) {
  began_ = next_look_ = Clock::now();
  outcome_.boxes.resize(specs.size());
  boxes_.resize(specs.size());
  collected_.resize(specs.size());
  cpu_.resize(specs.size());
  if (!support_.cgroup.empty())
    cgroup_ = std::make_unique<Cgroup>(support_.cgroup, limits_, specs.size());
  const BoxProcess::Setting setting{support_,    limits_,      user_,
                                    other_uids_, specs.size(), cgroup_ ? cgroup_->fd() : -1};
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name.empty()) specs[i].name = fmt::format("rank {}", i);
    try {
      boxes_[i] = std::make_unique<BoxProcess>(setting, std::move(specs[i]));
    } catch (const UserError& error) {
      outcome_.boxes[i].end = BoxEnd::could_not_start;
      outcome_.boxes[i].words = std::string("could not be started: ") + error.what();
      collected_[i] = true;
    }
  }
}

void BoxGroup::supervise() {
  for (std::size_t i = 0; i < boxes_.size(); ++i)
    if (!boxes_[i] && on_end) on_end(i, outcome_.boxes[i]);
  while (!ranges::all_of(collected_, [](bool is) { return is; })) {
    wait_for_something();
    std::string stop_words;
    bool stop_wanted = false;
    {
      const std::lock_guard lock(mutex_);
      stop_wanted = stop_wanted_;
      stop_words = stop_words_;
    }
    if (stop_wanted) end_all(BoxEnd::stopped, stop_words);
    // Comes first, before the ends that follow from it are seen.
    if (cgroup_ && cgroup_->out_of_memory()) end_for_memory();
    for (const auto& box : boxes_)
      if (box) box->serve();
    if (!released_) release_together();
    check_time();
    if (Clock::now() >= next_look_) look();
    collect();
  }
  outcome_.most.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
}

void BoxGroup::wait_for_something() {
  std::vector<pollfd> list = {{wake_.get(), POLLIN, 0}};
  for (const auto& box : boxes_)
    if (box) box->add_to(list);
  auto until = next_look_;
  if (released_ && limits_.wall.count() > 0) until = std::min(until, began_ + limits_.wall);
  const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
  ::poll(list.data(), list.size(), static_cast<int>(std::clamp<long>(left.count(), 1, 1000)));
  if (list[0].revents != 0) clear(wake_);
}

// Releases the programs when all boxes stand: a running program could take what another's box still needs (processes
// of their user), and the time of all counts from here.
void BoxGroup::release_together() {
  const auto now = Clock::now();
  for (const auto& box : boxes_) {
    if (!box || box->ready()) continue;
    if (now < began_ + kStartLimit) return;
    box->end(BoxEnd::could_not_start, "could not be started: its box did not stand in time");
  }
  {
    const std::lock_guard lock(mutex_);
    if (boxes_.front()) entrance_ = boxes_.front()->take_entrance();
    for (const auto& box : boxes_)
      if (box)
        if (Fd proc = box->proc()) procs_.push_back(std::move(proc));
    stands_ = true;
  }
  changed_.notify_all();
  for (const auto& box : boxes_)
    if (box) box->release();
  released_ = true;
  outcome_.most.start_seconds = std::chrono::duration<double>(now - began_).count();
  began_ = now;
}

void BoxGroup::collect() {
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    if (collected_[i] || !boxes_[i]->gone()) continue;
    // A program may have filled its files and ended between two looks.
    std::vector<BoxLook> last(boxes_.size());
    last[i] = boxes_[i]->look();
    check_files(last);
    collected_[i] = true;
    output_of_ended_ += boxes_[i]->output();
    cpu_of_ended_ += cpu_[i];
    cpu_[i] = 0;
    auto& outcome = outcome_.boxes[i];
    outcome = boxes_[i]->take_outcome();
    if (last[i].tmp.full || last[i].shm.full) {  // whatever the program made of that
      outcome.end = outcome_.end;
      outcome.words = outcome_.words;
    }
    boxes_[i].reset();
    if (on_end) on_end(i, outcome);
  }
}

void BoxGroup::check_time() {
  const auto now = Clock::now();
  if (released_ && limits_.wall.count() > 0 && now >= began_ + limits_.wall) {
    const auto words = fmt::format("took longer than {} s",
                                   decimal(static_cast<double>(limits_.wall.count()) / 1000, 3));
    end_all(BoxEnd::wall_time,
            stopped_names_.empty()
                ? words
                : fmt::format("{} ({} had stopped itself by a signal)", words, stopped_names_));
  }
  std::uint64_t output = output_of_ended_;
  for (const auto& box : boxes_) {
    if (box) output += box->output();
  }
  outcome_.most.output = std::max(outcome_.most.output, output);
  if (limits_.output > 0 && output > limits_.output)
    end_all(BoxEnd::output, fmt::format("wrote more than {} of output{}",
                                        amount_text(limits_.output), all_ranks()));
}

void BoxGroup::look() {
  const auto start = Clock::now();
  std::vector<BoxLook> looks(boxes_.size());
  stopped_names_.clear();
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    if (!boxes_[i] || !boxes_[i]->started() || boxes_[i]->gone()) continue;
    looks[i] = boxes_[i]->look();
    if (limits_.processes > 0 && looks[i].processes.processes > limits_.processes) break;
    if (looks[i].processes.stopped > 0)
      stopped_names_ += (stopped_names_.empty() ? "" : ", ") + boxes_[i]->name();
  }
  check_uses(looks);
  check_files(looks);
  const auto end = Clock::now();
  next_look_ = end + std::clamp<Clock::duration>((end - start) * kLookShare, kBetweenLooks,
                                                 kLongestBetweenLooks);
}

void BoxGroup::check_uses(const std::vector<BoxLook>& looks) {
  std::uint64_t memory = 0;
  unsigned processes = 0;
  double cpu = cpu_of_ended_;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    memory += looks[i].memory();
    processes += looks[i].processes.processes;
    // The time of a process that nobody waited for disappears with it, so the largest value seen is kept.
    cpu_[i] = std::max(cpu_[i], looks[i].processes.cpu_seconds);
    cpu += cpu_[i];
  }
  if (limits_.memory > 0 && memory > limits_.memory) memory = exact_memory(looks);
  auto& most = outcome_.most;
  most.memory = std::max(most.memory, memory);
  most.processes = std::max(most.processes, processes);
  most.cpu_seconds = std::max(most.cpu_seconds, cpu);
  if (limits_.memory > 0 && memory > limits_.memory) end_for_memory();
  if (limits_.processes > 0 && processes > limits_.processes)
    end_all(BoxEnd::processes, fmt::format("had more than {} processes and threads at once{}",
                                           limits_.processes, all_ranks()));
  if (limits_.cpu_seconds > 0 && cpu > limits_.cpu_seconds)
    end_all(BoxEnd::cpu_time, fmt::format("computed for more than {} s{}",
                                          decimal(limits_.cpu_seconds, 3), all_ranks()));
}

void BoxGroup::end_for_memory() {
  end_all(BoxEnd::memory,
          fmt::format("used more than {} of memory{}", amount_text(limits_.memory), all_ranks()));
}

std::uint64_t BoxGroup::exact_memory(const std::vector<BoxLook>& looks) {
  std::uint64_t memory = 0;
  for (std::size_t i = 0; i < looks.size(); ++i)
    if (boxes_[i]) memory += boxes_[i]->exact_memory(looks[i]);
  return memory;
}

void BoxGroup::check_files(const std::vector<BoxLook>& looks) {
  std::uint64_t disk = 0, files = 0;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    disk += looks[i].disk();
    files += looks[i].files();
    if (looks[i].tmp.full) end_all(BoxEnd::disk, boxes_[i]->name() + " filled its /tmp");
    if (looks[i].shm.full) end_all(BoxEnd::disk, boxes_[i]->name() + " filled its /dev/shm");
  }
  outcome_.most.disk = std::max(outcome_.most.disk, disk);
  outcome_.most.files = std::max(outcome_.most.files, files);
  if (limits_.disk > 0 && disk > limits_.disk)
    end_all(BoxEnd::disk,
            fmt::format("wrote more than {} into files{}", amount_text(limits_.disk), all_ranks()));
  if (limits_.files > 0 && files > limits_.files)
    end_all(BoxEnd::disk,
            fmt::format("made more than {} files{}", grouped(limits_.files), all_ranks()));
}

void BoxGroup::end_all(BoxEnd why, const std::string& words) {
  // A limit that ends the last running box also ends the group.
  if (outcome_.end == BoxEnd::ended) {
    outcome_.end = why;
    outcome_.words = words;
  }
  for (const auto& box : boxes_)
    if (box) box->end(outcome_.end, outcome_.words);
}

std::string BoxGroup::all_ranks() const {
  return outcome_.boxes.size() > 1 ? " (all ranks together)" : "";
}

}  // namespace rankscope
