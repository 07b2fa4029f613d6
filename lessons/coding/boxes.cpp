// Starts the boxes of a program's ranks, runs its cases in them, and collects what they return.
#include "lessons/coding/boxes.h"

#include <csignal>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/box/bwrap_arguments.h"
#include "engine/box/load_watch.h"
#include "engine/box/submission_folder.h"
#include "engine/core/base/fd.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/message/rank_context.h"
#include "engine/run/job/transports.h"
#include "lessons/coding/cpp_program.h"
#include "lessons/coding/loaded_libraries.h"
#include "lessons/coding/rank_starter.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

using std::chrono::milliseconds;
// Numbers of descriptors in the box.
constexpr int kAgentNumber = 3, kControlNumber = 4, kFilterNumber = 5, kAliveNumber = 6;
constexpr milliseconds kEnd{30'000}, kOwnEnd{200};  // kEnd suffices for very many processes
constexpr milliseconds kOthersEnd{
    1'000};  // for processes that a rank has started, after its return

// A program that computes for more than this share of the time before main() is itself to blame for being late. The ranks'
// times are added.
constexpr double kOwnShare = 0.8;

Deadline in_s(double seconds) {
  return Deadline::in(milliseconds(static_cast<std::int64_t>(seconds * 1000)));
}

/// Describes the end of a box in which no rank came up.
void describe_end(const BoxOutcome& box, CodeRun& run) {
  std::string_view said = box.err;
  while (said.ends_with('\n')) said.remove_suffix(1);
  said = said.substr(said.rfind('\n') + 1).substr(0, 400);
  run.trouble = fmt::format("it {}: {}", box.words, said);
  const bool by_others = box.end == BoxEnd::could_not_start || box.signal == SIGKILL;
  run.trouble_cause = by_others ? Cause::others : cause_in(said);
}

}  // namespace

struct CodeBoxes::Boxes {
  Boxes(const CodeBoxesOptions& options, const BoxLimits& limits, int ranks)
      : group(options.support, limits, ranks) {}
  BoxGroup group;       ///< One box, with the starter and all ranks.
  RankStarter starter;  ///< Destroyed before the group: the box ends without it.
  std::vector<Fd> sockets;
  std::vector<std::unique_ptr<capi::Agent>> agents;  ///< Empty while no rank runs.
};

CodeBoxes::CodeBoxes(CodeBoxesOptions options, int ranks)
    : options_(std::move(options)), ranks_(ranks) {
  require_boxes(options_.support);
}

CodeBoxes::~CodeBoxes() { stop(); }

// Gives each box a fresh copy of the submission, so that no program finds what an earlier one has changed.
void CodeBoxes::copy(const BoxGroup& group) {
  std::error_code ignored;
  fs::remove_all(copies_.path() / "submission", ignored);
  const CopyReport report =
      copy_submission(options_.submission, copies_.path() / "submission", {},
                      CopyOwner{group.uid(), group.gid(), !group.others().empty()});
  if (!report.refused.empty()) throw RefusedSubmission("the submission " + report.refused);
  if (!group.others().empty()) make_rank_folders(group);
}

// Makes each rank a folder to write to, inside one that no other rank may search, whatever access the rank gives to its own.
void CodeBoxes::make_rank_folders(const BoxGroup& group) {
  std::error_code ignored;
  const fs::path all = copies_.path() / "ranks";
  fs::remove_all(all, ignored);
  make_folder_of(all, {0, 0}, 0711);
  rank_users_.clear();
  for (const uid_t user : group.others()) {
    const fs::path outer = all / std::to_string(user), own = outer / "tmp";
    make_folder_of(outer, {0, user}, 0710);
    make_folder_of(own, {user, user}, 0700);
    rank_users_.emplace_back(user, own.string());
  }
}

namespace {

// Paths are those in the box; without boxes, without_box() (bwrap_arguments.h) puts the outer ones in.
std::vector<std::string> rank_environment() {
  return {"PATH=/usr/bin:/bin",
          "HOME=/tmp",
          "LANG=C.UTF-8",
          "OMP_NUM_THREADS=1",
          "PYTHONUNBUFFERED=1",
          "PYTHONPATH=/rankscope/python/site:/rankscope/python",
          fmt::format("RANKSCOPE_AGENT={}", kAgentNumber),
          fmt::format("RANKSCOPE_RANKS={}", kControlNumber),
          "RANKSCOPE_EXEC=agent",
          "MASTER_ADDR=127.0.0.1",
          "MASTER_PORT=29500",
          "RANKSCOPE_LIBRARY=/rankscope/lib/librankscope.so",
          "RANKSCOPE_SUBMISSION=/submission"};
}

}  // namespace

std::vector<std::string> entered_environment() {
  std::vector<std::string> out(std::begin(kBoxVariables), std::end(kBoxVariables));
  out.emplace_back("PWD=/");  // from the shell at the gate
  out.push_back(fmt::format("RANKSCOPE_FILTER={}", kFilterNumber));
  std::ranges::move(rank_environment(), std::back_inserter(out));
  return out;
}

BoxSpec CodeBoxes::box(int control) const {
  BoxSpec spec;
  spec.name = "the program";
  spec.argv = {options_.python, "-B", "-m", "rankscope.ranks"};
  spec.directory = "/";  // Python looks for modules here first, and nobody can put any there
  spec.environment = rank_environment();
  spec.binds = {{options_.python_files, "/rankscope/python"},
                {options_.library, "/rankscope/lib/librankscope.so"},
                {options_.first_process, "/rankscope/lib/first-process"},
                {copies_.path() / "submission", "/submission"}};
  if (!options_.program.empty()) {
    spec.argv.insert(spec.argv.begin() + 1,
                     "-S");  // the ranks become another program and need no modules
    spec.binds.push_back({options_.program, "/rankscope/program"});
    spec.binds.push_back({options_.library, "/rankscope/lib/librankscope.so.1"});
    spec.environment.emplace_back("RANKSCOPE_RANK_PROGRAM=/rankscope/program");
    // Only the library is bound, not its folder.
    spec.environment.push_back(
        "LD_LIBRARY_PATH=" +
        (options_.support.sandbox ? "/rankscope/lib" : options_.library.parent_path().string()));
  }
  spec.descriptors = {{control, kControlNumber}};
  if (!options_.support.sandbox && !options_.support.other_user) return spec;
  spec.filter_number = kFilterNumber;
  spec.environment.push_back(fmt::format("RANKSCOPE_FILTER={}", kFilterNumber));
  if (options_.support.other_user) {
    const nlohmann::json given{{"users", rank_users_}, {"system", system_paths()}};
    spec.environment.push_back("RANKSCOPE_USERS=" + dump_json(given));
  }
  return spec;
}

// Returns box() with a program that waits until the process that enters the box has ended.
BoxSpec CodeBoxes::box_to_enter(int alive) const {
  BoxSpec spec = box(alive);
  spec.argv = {"/bin/sh", "-c", fmt::format("read end <&{}", kAliveNumber)};
  spec.descriptors = {{alive, kAliveNumber}};
  spec.enterable = true;
  return spec;
}

// Returns false if that fails: the box is removed, and the libraries have to be loaded in a new one.
bool CodeBoxes::enter_box(Deadline limit) {
  LoadedLibraries& libraries = *options_.libraries;
  auto made = std::make_unique<Boxes>(options_, libraries.left_of(options_.limits), ranks_);
  copy(made->group);
  FdPair alive = pipe_pair("the ranks' box");
  boxes_ = std::move(made);
  boxes_->group.start({box_to_enter(alive.ours.get())});
  alive.ours.reset();
  LoadedLibraries::Gifts gifts;
  gifts.environment = entered_environment();
  gifts.control = boxes_->starter.theirs().get();
  gifts.control_number = kControlNumber;
  gifts.alive = alive.theirs.get();
  gifts.alive_number = kAliveNumber;
  gifts.filter_number = kFilterNumber;
  const bool sent = libraries.enter(boxes_->group, options_.support, gifts, limit);
  boxes_->starter.theirs().reset();
  alive.theirs.reset();
  if (sent && boxes_->starter.admit() && boxes_->starter.up(limit)) return true;
  stop();
  return false;
}

void CodeBoxes::start_box(Deadline limit) {
  if (options_.libraries && options_.program.empty() && options_.libraries->ready(options_) &&
      enter_box(limit))
    return;
  auto made = std::make_unique<Boxes>(options_, options_.limits, ranks_);
  copy(made->group);
  boxes_ = std::move(made);
  boxes_->group.start({box(boxes_->starter.theirs().get())});
  boxes_->starter.theirs().reset();
  if (boxes_->starter.up(limit)) return;
  start_error_ = "it did not come up";
  // Python's libraries are loaded before the program's own code, so a failure is not the program's fault, unless an earlier
  // run of it has exhausted the machine.
  if (!options_.program.empty() || starts_ > 1) return;
  CodeRun none;
  if (boxes_->starter.gone()) find_trouble(none);
  const std::string words =
      !none.trouble.empty()
          ? "could not be loaded: " + none.trouble
          : fmt::format(
                "were not loaded within {:g} s: the machine may be busy with other work, or "
                "short of memory. Grade the program again",
                options_.start_timeout_s);
  stop();
  throw UserError("the libraries of the ranks (torch, NumPy) " + words);
}

void CodeBoxes::start() {
  ++starts_;
  start_error_.clear();
  const auto limit = in_s(options_.start_timeout_s);
  if (!boxes_) start_box(limit);
  if (!start_error_.empty()) return;
  std::vector<Fd> theirs;
  std::vector<int> numbers;
  for (int rank = 0; rank < ranks_; ++rank) {
    FdPair pair = socket_pair("a rank");
    numbers.push_back(pair.theirs.get());
    boxes_->agents.push_back(std::make_unique<capi::Agent>(pair.ours.get()));
    boxes_->sockets.push_back(std::move(pair.ours));
    theirs.push_back(std::move(pair.theirs));
  }
  boxes_->starter.start(numbers);
  theirs.clear();
  const auto begin =
      options_.program.empty() ? limit : earlier(limit, in_s(options_.begin_timeout_s));
  for (int rank = 0; rank < ranks_; ++rank)
    if (!boxes_->agents[static_cast<std::size_t>(rank)]->ready(begin)) {
      start_error_ = fmt::format("rank {} did not come up", rank);
      if (!options_.program.empty() && begin.passed()) refuse_to_begin(rank);
      return;
    }
}

// Throws RefusedSubmission if the program itself is to blame for being late: it computed or slept for most of the time.
void CodeBoxes::refuse_to_begin(Rank rank) {
  const auto awake = boxes_->group.runnable_s();
  boxes_->group.stop("its ranks did not begin");
  boxes_->group.wait(kEnd);
  const double computed = boxes_->group.outcome().most.cpu_seconds;
  boxes_.reset();
  const bool slept = awake && *awake < options_.begin_timeout_s / 2;
  if (!slept && computed < kOwnShare * options_.begin_timeout_s) return;
  throw RefusedSubmission(fmt::format(
      "the program has not come to its main() after {:g} s on rank {}: is there an endless "
      "loop in what runs before it, such as a global variable's constructor?",
      options_.begin_timeout_s, rank));
}

void CodeBoxes::stop() {
  if (!boxes_) return;
  boxes_->group.stop("the exercise is over");
  boxes_->group.wait(kEnd);
  boxes_.reset();
}

// Ends the ranks' processes. Returns false if that fails, so that the box has to be stopped.
bool CodeBoxes::end_ranks() {
  RankStarter& starter = boxes_->starter;
  if (starter.gone() || !options_.support.sandbox) return false;
  starter.end_all();
  if (!starter.all_ended(Deadline::in(kEnd))) return false;
  boxes_->agents.clear();
  boxes_->sockets.clear();
  return true;
}

// Sets the trouble to the limit that ended the ranks, else to the end of the first one that died. Ends all ranks.
void CodeBoxes::find_trouble(CodeRun& run) {
  RankStarter& starter = boxes_->starter;
  // Lets ranks end by themselves first, so that this is what is recorded.
  starter.all_ended(Deadline::in(kOwnEnd));
  const RankEnd* first = nullptr;
  for (const RankEnd& end : starter.ends())
    if (first == nullptr ||
        std::pair(end.in_order(), end.rank) < std::pair(first->in_order(), first->rank))
      first = &end;
  if (first != nullptr) {
    RankEnd end = *first;
    run.trouble_cause = end.cause();
    const bool cpp = !options_.program.empty();
    if (cpp && end.signal == SIGABRT) end.said = without_library_text(end.said);
    run.trouble = end.words();
  }
  if (end_ranks()) return;
  if (!boxes_->group.wait(starter.gone() ? kEnd : milliseconds(0)))
    boxes_->group.stop("another rank of the program ended");
  if (!boxes_->group.wait(kEnd)) {
    run.trouble = "its processes do not end";
    run.trouble_cause = Cause::others;
  } else if (const BoxGroupOutcome& outcome = boxes_->group.outcome();
             outcome.end != BoxEnd::ended && outcome.end != BoxEnd::stopped) {
    run.trouble = outcome.words;
    run.trouble_cause = outcome.end == BoxEnd::wall_time ? Cause::late : Cause::limit;
  } else if (run.trouble.empty() && outcome.end == BoxEnd::ended) {
    describe_end(outcome.boxes.at(0), run);
  }
  boxes_.reset();
}

void CodeBoxes::forget() {
  if (boxes_ && !boxes_->agents.empty() && !end_ranks()) stop();
}

// Ends processes that outlive their run, because they would see the next run's data.
void CodeBoxes::end_others(CodeRun& run) {
  const auto others = boxes_->starter.others(Deadline::in(kOthersEnd));
  if (!others) return stop();  // the starter did not answer: the next run has a new box
  if (others->empty()) return;
  forget();
  const bool returned = run.result.ok() && ranges::all_of(run.ranks, [](const auto& rank) {
                          return rank.error.empty();
                        });
  if (!returned) return;  // the error that is known is reported instead
  run.trouble = others->front().words();
  run.trouble_cause = Cause::own;
  run.left_behind = run.boxes_ended = true;
}

CodeRun CodeBoxes::run(const JobSpec& spec, const std::vector<capi::AgentTask>& tasks,
                       RunOrder* order) {
  if (spec.transport.name == kSharedTransport)
    throw UserError("programs in boxes share no memory: their messages go through the grader");
  CodeRun out;
  if (!boxes_ || boxes_->agents.empty()) start();
  out.ranks.resize(static_cast<std::size_t>(spec.world.size));
  if (!start_error_.empty()) {
    if (boxes_) find_trouble(out);
    if (out.trouble.empty()) {
      out.trouble = start_error_;
      out.trouble_cause = Cause::others;
    }
    out.boxes_ended = true;
    out.result.message = out.trouble;
    stop();
    return out;
  }
  LoadWatch load([this] { return boxes_->group.runnable_s(); }, spec.recording.timeout_s);
  RunnerOptions options;
  options.interrupt_fd = options_.interrupt_fd;
  options.order = order;
  options.part = [&](RankContext& rank, const JobSpec& job, std::uint32_t epoch) {
    const auto r = static_cast<std::size_t>(rank.rank());
    auto outcome = boxes_->agents[r]->serve(rank, job, epoch, tasks[r], out.ranks[r]);
    load.add_own();
    return outcome;
  };
  options.on_progress = [&](const RunProgress& now) { load.look(now.elapsed_s); };
  static_cast<capi::AgentWorldRun&>(out) = capi::run_agents(spec, std::move(options));
  out.slept = out.result.status == JobResult::Status::timeout && load.slept();
  out.boxes_ended = ranges::any_of(out.ranks, &capi::AgentReport::gone);
  if (out.boxes_ended) find_trouble(out);
  else end_others(out);
  return out;
}

}  // namespace rankscope
