// Accepts programs as ranks, groups them into worlds, and conducts their runs.
#include "engine/run/conductor/program_host.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <poll.h>

#include "engine/core/base/deadline.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/process_stat.h"
#include "engine/core/base/ranges.h"
#include "engine/run/conductor/job_session.h"

namespace rankscope {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr int kProgramProtocol = 1;
constexpr milliseconds kLook{100};
constexpr int kMostRanks = 1024;
constexpr milliseconds kApart{2'000};

json parsed(const std::string& text) {
  json message = parse_json_or_none(text);
  return message.is_object() ? message : json::object();
}

using std::chrono::milliseconds;

constexpr int kChannel = 3;  ///< Its number in the stem.
/// Limits for loading slow modules on a busy machine, and for a fork.
constexpr milliseconds kLoadLimit{60'000}, kForkLimit{10'000};

SubprocessOptions stem_options(const std::vector<std::string>& argv,
                               std::vector<std::string> environment,
                               const std::vector<std::string>& modules, const std::string& folder,
                               const Fd& theirs) {
  environment.push_back(fmt::format("RANKSCOPE_STEM={}", kChannel));
  environment.push_back(fmt::format("RANKSCOPE_STEM_LOADS={}", fmt::join(modules, ",")));
  environment.push_back("RANKSCOPE_STEM_FOLDER=" + folder);
  return {.words = argv,
          .environment = std::move(environment),
          .descriptors = {{.theirs = kChannel, .ours = theirs.get()}}};
}

}  // namespace

ProgramHost::ProgramHost(ProgramHostOptions options)
    : options_(std::move(options)), listener_(listen_at(directory_.path() / "exec")) {
  server_ = std::thread([this] { serve(); });
}

ProgramHost::~ProgramHost() {
  interrupt();
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.wake();
  server_.join();
  for (Active& active : active_) active.thread.join();
}

std::string ProgramHost::variable() const {
  return "RANKSCOPE_EXEC=" + (directory_.path() / "exec").string();
}

void ProgramHost::interrupt() noexcept {
  interrupt_.wake();
  const std::lock_guard lock(mutex_);
  refusing_ = true;
  wake_.wake();
}

int ProgramHost::running() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(ranges::count_if(active_, [](const Active& one) { return !one.over; }));
}

int ProgramHost::active() const {
  const int runs = running();
  const std::lock_guard lock(mutex_);
  return runs + static_cast<int>(gathering_.size());
}

int ProgramHost::started() const {
  const std::lock_guard lock(mutex_);
  return started_;
}

std::string ProgramHost::missing(const Gathering& world) {
  std::vector<Rank> there, absent;
  for (const JoiningProcess& joining : world.joining_processes) there.push_back(joining.rank);
  for (Rank rank = 0; rank < world.run.spec.world.size; ++rank)
    if (ranges::find(there, rank) == there.end()) absent.push_back(rank);
  ranges::sort(there);
  const std::string place =
      world.run.key.empty() ? "" : fmt::format(" that meet at {}", world.run.key);
  return fmt::format("of {} ranks{}, {} {} came; missing: {}", world.run.spec.world.size, place,
                     there.size() == 1 ? "rank" : "ranks", fmt::join(there, ", "),
                     fmt::join(absent, ", "));
}

std::vector<std::string> ProgramHost::waiting() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  for (const auto& [key, world] : gathering_) lines.push_back(missing(world));
  return lines;
}

void ProgramHost::finish() {
  {
    const std::lock_guard lock(mutex_);
    refusing_ = true;
  }
  wake_.wake();
  const auto over = [this] {
    if (active() > 0) return false;
    const std::lock_guard lock(mutex_);
    return heard_all_;
  };
  while (!over()) std::this_thread::sleep_for(milliseconds(5));
}

std::vector<ProgramFailure> ProgramHost::failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

void ProgramHost::serve() {
  while (true) {
    std::vector<pollfd> items{{listener_.get(), POLLIN, 0}, {wake_.fd(), POLLIN, 0}};
    {
      const std::lock_guard lock(mutex_);
      for (const Fd& connection_fd : unidentified_)
        items.push_back({connection_fd.get(), POLLIN, 0});
      if (closing_) break;
    }
    ::poll(items.data(), items.size(), static_cast<int>(kLook.count()));
    if (items[1].revents != 0) wake_.drain();
    const std::lock_guard lock(mutex_);
    while (Fd connection = accept_from(listener_)) unidentified_.push_back(std::move(connection));
    std::erase_if(unidentified_, [this](Fd& connection) {
      const auto hello = receive_message(connection, Deadline::now());
      if (hello && !hello->text.empty()) apply(std::move(connection), hello->text);
      return hello.has_value();
    });
    drop_gone();
    refuse_ranks_apart();
    refuse_incomplete_worlds();
    reap();
    heard_all_ = refusing_;
  }
  const std::lock_guard lock(mutex_);
  gathering_.clear();
  unidentified_.clear();
}

// Returns whether another process of the same copy takes part: then copies start ranks themselves. Ended processes do
// not count, because a copy may be a script that runs several programs. Call it under the lock.
bool ProgramHost::another_of(const JoiningProcess& joining) const {
  if (options_.copies == 0 || joining.copy < 0) return false;
  const Fd proc = open_proc();
  const auto is_another = [&](int copy, pid_t pid) {
    if (copy != joining.copy || pid == joining.pid) return false;
    const auto stat = process_stat(proc.get(), pid);
    return stat && stat->state != 'Z' && stat->state != 'X';
  };
  for (const auto& [key, world] : gathering_)
    for (const JoiningProcess& other : world.joining_processes)
      if (is_another(other.copy, other.pid)) return true;
  for (const Active& world : active_)
    for (const auto& [copy, pid] : world.copies)
      if (!world.over && is_another(copy, pid)) return true;
  return false;
}

// Returns whether the process is one of several that a copy has started; a script starts one at a time.
bool ProgramHost::is_one_of_several(const JoiningProcess& joining) const {
  if (joining.copy < 0) return false;
  const Fd proc = open_proc();
  const auto stat = process_stat(proc.get(), joining.pid);
  if (!stat || stat->parent == ::getpid()) return false;  // the copy itself
  const auto of_same_parent = ranges::count_if(processes_in(proc.get()), [&](pid_t pid) {
    const auto other = process_stat(proc.get(), pid);
    return other && other->parent == stat->parent;
  });
  return of_same_parent > 1;
}

// Under the lock.
void ProgramHost::end_misuse(const Fd& connection) {
  misuse_ = fmt::format(
      "the program starts its ranks itself, and -n {} starts {} copies of it: leave out -n",
      options_.copies, options_.copies);
  refusing_ = true;
  interrupt_.wake();
  refuse(connection, misuse_);
}

std::string ProgramHost::misuse() const {
  const std::lock_guard lock(mutex_);
  return misuse_;
}

void ProgramHost::refuse(const Fd& connection, const std::string& reason) {
  send_message(connection, dump_json(json{{"refuse", reason}}));
}

JobSpec program_spec(const ProgramHostOptions& options, const std::string& platform,
                     const std::string& program, int size) {
  JobSpec spec = options.base;
  spec.call.algorithm = program.empty() ? "program" : program;
  spec.call.platform = platform.empty() ? "native" : platform;
  spec.world.size = size;
  spec.data.check = false;
  spec.recording.every_wait = true;
  if (options.delays) spec.world.delays_us = options.delays(size);
  if (options.platform_chooses_mode) {
    const Platform& platform_rules = platform_of(spec.call.platform);
    spec.transport.mode = platform_rules.sends;
    spec.transport.eager_limit = platform_rules.mpi ? options.mpi_eager_limit : 0;
  }
  return spec;
}

// Under the lock.
void ProgramHost::apply(Fd connection, const std::string& text) {
  const json hello = parsed(text);
  if (hello.value("version", 0) != kProgramProtocol)
    return refuse(connection, "this librankscope is of another version than `rankscope exec`");
  if (const std::string failed = hello.value("failed", ""); !failed.empty()) {
    failures_.push_back({hello.value("copy", -1), failed});
    return;
  }
  if (refusing_) return refuse(connection, misuse_.empty() ? "the run is over" : misuse_);
  const int size = hello.value("size", 0);
  const Rank rank = hello.value("rank", -1);
  const std::string key = hello.value("key", "");
  if (size < 1 || size > kMostRanks)
    return refuse(connection,
                  fmt::format("a world of {} ranks cannot be made (1 to {})", size, kMostRanks));
  if (rank >= size)
    return refuse(connection, fmt::format("rank {} does not exist in a world of {} ranks (0 to {})",
                                          rank, size, size - 1));
  const auto [at, is_new] = gathering_.try_emplace(key);
  Gathering& world = at->second;
  if (is_new) {
    world.run.key = key;
    world.run.test = hello.value("test", "");
    world.run.spec =
        program_spec(options_, hello.value("platform", ""), hello.value("program", ""), size);
  }
  if (world.run.spec.world.size != size)
    return refuse(
        connection,
        fmt::format("this rank asks for a world of {} ranks at {}, another rank for one of "
                    "{}: give all the same world size",
                    size, key, world.run.spec.world.size));
  JoiningProcess joining{std::move(connection), rank, 0, hello.value("copy", -1)};
  joining.pid = peer_of(joining.connection);
  if (another_of(joining)) return end_misuse(joining.connection);
  if (rank >= 0 && ranges::find(world.joining_processes, rank, &JoiningProcess::rank) !=
                       world.joining_processes.end()) {
    if (is_one_of_several(joining)) return end_misuse(joining.connection);
    return refuse(joining.connection,
                  fmt::format("there is a rank {} already in the world at {}: each process needs a "
                              "rank of its own",
                              rank, key));
  }
  world.joining_processes.push_back(std::move(joining));
  if (static_cast<int>(world.joining_processes.size()) < size) return;
  Gathering complete = std::move(world);
  gathering_.erase(at);
  begin(std::move(complete));
}

// Drops processes that close their connection before all ranks are there: they no longer want to join.
void ProgramHost::drop_gone() {
  for (auto& [key, world] : gathering_)
    std::erase_if(world.joining_processes, [](const JoiningProcess& joining) {
      const auto word = receive_message(joining.connection, Deadline::now());
      return word && word->text.empty();
    });
  std::erase_if(gathering_,
                [](const auto& entry) { return entry.second.joining_processes.empty(); });
}

// Refuses ranks that wait in several worlds with no other left to come. This is so once all copies wait, or, if the
// program starts its ranks itself, once the waiting ranks together make one world for a while.
void ProgramHost::refuse_ranks_apart() {
  if (options_.copies == 1 || gathering_.size() < 2) return;
  const bool copies = options_.copies > 1;
  const int size = gathering_.begin()->second.run.spec.world.size;
  std::vector<std::pair<int, std::string>> places;
  for (const auto& [key, world] : gathering_) {
    if (!copies && (world.run.spec.world.size != size || Clock::now() - world.since < kApart))
      return;
    for (const JoiningProcess& joining : world.joining_processes)
      places.emplace_back(copies ? joining.copy : joining.rank, key);
  }
  ranges::sort(places);
  const int all = copies ? options_.copies : size;
  if (!copies && std::ssize(places) != all) return;
  for (int one = 0; one < all; ++one)
    if (ranges::count(places, one, &std::pair<int, std::string>::first) != 1) return;
  std::string where;
  for (const auto& [copy, key] : places)
    where += fmt::format("{}rank {} at {}", where.empty() ? "" : ", ", copy, key);
  const std::string why = fmt::format(
      "the ranks wait for each other at different addresses: {}. Give all of them the same address "
      "and port",
      where);
  for (const auto& [key, world] : gathering_)
    for (const JoiningProcess& joining : world.joining_processes) refuse(joining.connection, why);
  gathering_.clear();
}

void ProgramHost::refuse_incomplete_worlds() {
  std::erase_if(gathering_, [this](const auto& entry) {
    const Gathering& world = entry.second;
    const std::chrono::duration<double> waited = Clock::now() - world.since;
    if (!refusing_ && waited.count() < options_.gather_timeout_s) return false;
    const std::string why = !misuse_.empty() ? misuse_
                            : refusing_
                                ? "the program ended before all ranks came: " + missing(world)
                                : fmt::format("not all ranks came after {:g} s: {}",
                                              options_.gather_timeout_s, missing(world));
    for (const JoiningProcess& joining : world.joining_processes) refuse(joining.connection, why);
    if (options_.notice && misuse_.empty()) options_.notice(why);
    return true;
  });
}

void ProgramHost::reap() {
  std::erase_if(active_, [](Active& active) {
    if (active.over) active.thread.join();
    return active.over;
  });
}

void ProgramHost::begin(Gathering&& world) {
  world.run.number = ++started_;
  // Processes that asked for no particular rank get the free ones, in order of arrival.
  Rank next = 0;
  const auto taken = [&](Rank rank) {
    return ranges::find(world.joining_processes, rank, &JoiningProcess::rank) !=
           world.joining_processes.end();
  };
  for (JoiningProcess& joining : world.joining_processes) {
    if (joining.rank >= 0) continue;
    while (taken(next)) ++next;
    joining.rank = next;
  }
  ranges::sort(world.joining_processes, {}, &JoiningProcess::rank);
  Active& active = active_.emplace_back();
  for (const JoiningProcess& one : world.joining_processes)
    active.copies.emplace_back(one.copy, one.pid);
  active.thread =
      std::thread([this, &active, world = std::make_shared<Gathering>(std::move(world))]() mutable {
        conduct(std::move(*world), active);
      });
}

void ProgramHost::conduct(Gathering gathered, Active& active) {
  ProgramRun& run = gathered.run;
  NoEvents nowhere;
  std::unique_ptr<EventSink> sink;
  try {
    if (options_.open) sink = options_.open(run);
    WorldOptions options;
    options.world_size = run.spec.world.size;
    options.transport = run.spec.transport.name;
    options.pin = false;
    options.interrupt_fd = interrupt_.fd();
    options.start_timeout_s = options_.gather_timeout_s;
    options.notice = options_.notice;
    std::vector<WorkerProcess::PassedDescriptors> passed(gathered.joining_processes.size());
    for (std::size_t r = 0; r < passed.size(); ++r)
      options.adopted.emplace_back(gathered.joining_processes[r].pid, passed[r]);
    options.on_open = [&](const Rendezvous& rendezvous, int memory) {
      for (std::size_t r = 0; r < passed.size(); ++r) {
        const json seat{{"rendezvous", rendezvous.to_string()},
                        {"rank", gathered.joining_processes[r].rank},
                        {"size", run.spec.world.size}};
        std::vector<int> descriptors{passed[r].lifeline.get(), passed[r].status};
        if (memory >= 0) descriptors.push_back(memory);
        send_message(gathered.joining_processes[r].connection, dump_json(seat), descriptors);
        passed[r].lifeline.reset();  // else nobody would notice that the rank's copy is closed
      }
    };
    World world(std::move(options));
    RunnerOptions runner;
    runner.interrupt_fd = interrupt_.fd();
    if (options_.on_progress)
      runner.on_progress = [&](const RunProgress& state) { options_.on_progress(run, state); };
    JobSession session(world, run.spec, sink ? *sink : nowhere, runner);
    run.result = session.run();
    if (run.result.status == JobResult::Status::failed && options_.how_ended)
      for (RankFailure& failure : run.result.failures) {
        const auto pid = gathered.joining_processes[static_cast<std::size_t>(failure.rank)].pid;
        const std::string how = options_.how_ended(pid);
        if (failure.loss != RankLoss::unknown || how.empty()) continue;
        failure.what = how;
        failure.loss = loss_of("", how);
      }
    run.result.algorithm = run.spec.call.algorithm;
    for (const Member& member : world.members()) {
      run.hosts.push_back(member.host);
      run.clock_offsets_ns.push_back(member.clock_offset_ns);
    }
  } catch (const StartFailure& e) {
    run.result = e.result();
  } catch (const std::exception& e) {
    run.result.status = JobResult::Status::failed;
    run.result.message = e.what();
    for (const JoiningProcess& joining : gathered.joining_processes)
      refuse(joining.connection, e.what());
  }
  try {
    if (options_.ended) options_.ended(run, sink ? *sink : nowhere);
  } catch (const std::exception& e) {
    if (options_.notice) options_.notice(e.what());
  }
  const std::lock_guard lock(mutex_);
  active.over = true;
  wake_.wake();
}

RankAssignment request_rank(const std::string& host, const ProgramApplication& application) {
  const Fd connection = connect_to(host);
  const json hello{{"version", kProgramProtocol},      {"rank", application.rank},
                   {"size", application.size},         {"key", application.key},
                   {"platform", application.platform}, {"program", application.program},
                   {"test", application.test},         {"copy", application.copy}};
  const auto text = dump_json(hello);
  if (!send_message(connection, text)) throw UserError("rankscope does not listen any more");
  auto answer = receive_message(connection, Deadline::never());
  if (!answer || answer->text.empty())
    throw UserError("the run was ended before all ranks had come");
  const json seat = parsed(answer->text);
  if (seat.contains("refuse")) throw UserError(seat.value("refuse", "refused"));
  const std::size_t passed = answer->descriptors.size();
  if (passed != 2 && passed != 3) throw UserError("rankscope's answer was not understood");
  RankAssignment out;
  out.rendezvous = seat.value("rendezvous", "");
  out.rank = seat.value("rank", -1);
  out.size = seat.value("size", 0);
  out.lifeline = std::move(answer->descriptors[0]);
  out.status = std::move(answer->descriptors[1]);
  if (passed == 3) out.memory = std::move(answer->descriptors[2]);
  return out;
}

ProgramStem::ProgramStem(const std::vector<std::string>& argv, std::vector<std::string> environment,
                         const std::vector<std::string>& modules, const std::string& folder)
    : ProgramStem(argv, std::move(environment), modules, folder,
                  socket_pair("a program's stem", SOCK_SEQPACKET)) {}

ProgramStem::ProgramStem(const std::vector<std::string>& argv, std::vector<std::string> environment,
                         const std::vector<std::string>& modules, const std::string& folder,
                         FdPair channel)
    : channel_(std::move(channel.ours)),
      process_(stem_options(argv, std::move(environment), modules, folder, channel.theirs)) {}

bool ProgramStem::wait_ready(int interrupt_fd) {
  pollfd either[] = {{channel_.get(), POLLIN, 0}, {interrupt_fd, POLLIN, 0}};
  ::poll(either, 2, Deadline::in(kLoadLimit).poll_ms());
  const auto said = receive_message(channel_, Deadline::now());
  return said && said->text == "ready";
}

pid_t ProgramStem::fork_copy(const std::vector<std::string>& environment,
                             const std::vector<SubprocessOptions::Descriptor>& descriptors) {
  std::vector<int> ours, theirs;
  for (const auto& one : descriptors) {
    ours.push_back(one.ours);
    theirs.push_back(one.theirs);
  }
  std::string order = fmt::format("{}", fmt::join(theirs, ","));
  for (const std::string& variable : environment) (order += '\0') += variable;
  if (!send_message(channel_, order, ours)) return -1;
  const auto said = receive_message(channel_, Deadline::in(kForkLimit));
  pid_t copy = -1;
  if (said) std::from_chars(said->text.data(), said->text.data() + said->text.size(), copy);
  return copy;
}

}  // namespace rankscope
