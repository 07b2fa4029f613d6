#include "lessons/coding/boxes.h"

#include <algorithm>
#include <mutex>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include "engine/box/submission_folder.h"
#include "engine/core/error.h"
#include "engine/core/fd.h"
#include "engine/core/trace_builder.h"
#include "engine/run/job_json.h"
#include "engine/run/process_runner.h"
#include "engine/run/trace_meta.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

using std::chrono::milliseconds;
constexpr int kAgentNumber = 3;                     // of the descriptor in the box
constexpr milliseconds kEnd{30'000}, kOwnEnd{200};  // many processes take a while

/// Events of agents say so: grades count no others.
class AgentEvents : public EventSink {
 public:
  AgentEvents(TraceBuilder& trace, std::vector<EventBatch>& kept) : trace_(trace), kept_(kept) {}
  void deliver(EventBatch&& batch) override {
    for (StepEvent& event : batch.events) event.origin = Origin::agent;
    const std::lock_guard lock(mutex_);
    kept_.push_back(batch);
    trace_.deliver(std::move(batch));
  }

 private:
  std::mutex mutex_;
  TraceBuilder& trace_;
  std::vector<EventBatch>& kept_;
};

}  // namespace

struct CodeBoxes::Boxes {
  explicit Boxes(const CodeBoxesOptions& options) : group(options.support, options.limits) {}
  BoxGroup group;
  std::vector<Fd> sockets;
  std::vector<std::unique_ptr<capi::Agent>> agents;
};

CodeBoxes::CodeBoxes(CodeBoxesOptions options, int ranks)
    : options_(std::move(options)), ranks_(ranks) {
  require_boxes(options_.support);
  // The user of the boxes has to get through it.
  fs::permissions(copies_.path(),
                  fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
}

CodeBoxes::~CodeBoxes() { stop(); }

// Anew for each start: nothing of what an earlier program could have changed stays.
void CodeBoxes::copy() {
  std::error_code ignored;
  fs::remove_all(copies_.path() / "submission", ignored);
  const CopyReport report = copy_submission(options_.submission, copies_.path() / "submission", {},
                                            CopyOwner{boxes_->group.uid(), boxes_->group.gid()});
  if (!report.refused.empty()) throw RefusedSubmission("the submission " + report.refused);
}

BoxSpec CodeBoxes::box_of(int rank, int socket) const {
  BoxSpec spec;
  spec.name = fmt::format("rank {}", rank);
  spec.argv = {options_.python, "-B", "-m", "rankscope.contract"};
  const bool boxed = options_.support.sandbox;
  const auto at = [&](const std::filesystem::path& outside, const char* inside) {
    return boxed ? std::string(inside) : outside.string();
  };
  const std::string python = at(options_.python_files, "/rankscope/python");
  spec.environment = {"PATH=/usr/bin:/bin",
                      "HOME=/tmp",
                      "LANG=C.UTF-8",
                      "OMP_NUM_THREADS=1",
                      "PYTHONUNBUFFERED=1",
                      "PYTHONPATH=" + python + "/site:" + python,
                      fmt::format("RANKSCOPE_AGENT={}", kAgentNumber),
                      "RANKSCOPE_EXEC=agent",
                      "MASTER_ADDR=127.0.0.1",
                      "MASTER_PORT=29500",
                      "RANKSCOPE_LIBRARY=" + at(options_.library, "/rankscope/lib/librankscope.so"),
                      "RANKSCOPE_SUBMISSION=" + at(copies_.path() / "submission", "/submission")};
  spec.binds = {{options_.python_files, "/rankscope/python"},
                {options_.library, "/rankscope/lib/librankscope.so"},
                {copies_.path() / "submission", "/submission"}};
  spec.descriptors = {{socket, kAgentNumber}};
  return spec;
}

void CodeBoxes::start() {
  stop();
  ++starts_;
  start_trouble_.clear();
  boxes_ = std::make_unique<Boxes>(options_);
  copy();
  std::vector<Fd> theirs;
  std::vector<BoxSpec> specs;
  for (int rank = 0; rank < ranks_; ++rank) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw UserError("cannot make a socket pair for a box");
    boxes_->sockets.emplace_back(ends[0]);
    theirs.emplace_back(ends[1]);
    boxes_->agents.push_back(std::make_unique<capi::Agent>(ends[0]));
    specs.push_back(box_of(rank, ends[1]));
  }
  boxes_->group.start(std::move(specs));
  theirs.clear();
  const auto limit =
      Deadline::in(milliseconds(static_cast<std::int64_t>(options_.start_timeout_s * 1000)));
  for (int rank = 0; rank < ranks_; ++rank)
    if (!boxes_->agents[static_cast<std::size_t>(rank)]->ready(limit)) {
      start_trouble_ = fmt::format("rank {} did not come up", rank);
      return;
    }
}

void CodeBoxes::stop() {
  if (!boxes_) return;
  for (const auto& agent : boxes_->agents) agent->dismiss(Deadline::in(milliseconds(1)));
  boxes_->sockets.clear();
  if (!boxes_->group.wait(milliseconds(200))) boxes_->group.stop("the exercise is over");
  boxes_->group.wait(kEnd);
  boxes_.reset();
}

// The limit that ended them, else what the first one that died says.
std::string CodeBoxes::trouble() {
  // Whoever ended by itself is to be known as such.
  if (!boxes_->group.wait(kOwnEnd)) boxes_->group.stop("another rank of the program ended");
  if (!boxes_->group.wait(kEnd)) return "its processes do not end";
  const BoxGroupOutcome& outcome = boxes_->group.outcome();
  if (outcome.end != BoxEnd::ended && outcome.end != BoxEnd::stopped) return outcome.words;
  for (std::size_t rank = 0; rank < outcome.boxes.size(); ++rank) {
    const BoxOutcome& box = outcome.boxes[rank];
    if (box.end == BoxEnd::stopped || (box.end == BoxEnd::ended && box.exit_code == 0)) continue;
    std::string words = fmt::format("rank {} {}", rank, box.words);
    if (!box.err.empty()) {  // the last line of what it said
      std::string_view said = box.err;
      while (said.ends_with('\n')) said.remove_suffix(1);
      words += fmt::format(": {}", said.substr(said.rfind('\n') + 1).substr(0, 400));
    }
    return words;
  }
  for (std::size_t rank = 0; rank < outcome.boxes.size(); ++rank)
    if (outcome.boxes[rank].end == BoxEnd::ended)
      return fmt::format("rank {} ended its process in the middle of the exercise", rank);
  return {};
}

CodeRun CodeBoxes::run(const JobSpec& spec, const std::vector<capi::AgentTask>& tasks) {
  CodeRun out;
  if (!boxes_) start();
  out.ranks.resize(static_cast<std::size_t>(spec.world_size));
  if (!start_trouble_.empty()) {
    out.trouble = trouble();
    if (out.trouble.empty()) out.trouble = start_trouble_;
    out.boxes_ended = true;
    out.result.message = out.trouble;
    boxes_.reset();
    return out;
  }
  TraceMeta meta = meta_of(spec);
  TraceBuilder builder(meta);
  AgentEvents events(builder, out.events);
  RunnerOptions options;
  options.interrupt_fd = options_.interrupt_fd;
  options.part = [&](RankContext& rank, const JobSpec& job, std::uint32_t epoch) {
    const auto r = static_cast<std::size_t>(rank.rank());
    return boxes_->agents[r]->serve(rank, job, epoch, tasks[r], out.ranks[r]);
  };
  out.result = InprocRunner(std::move(options)).run(spec, events);
  out.result.algorithm = spec.algorithm;
  meta.result_json = to_json(out.result);
  meta.complete = true;
  out.meta = meta;
  builder.set_meta(std::move(meta));
  out.trace = std::make_shared<Trace>(builder.finish());
  out.boxes_ended = std::ranges::any_of(out.ranks, &capi::AgentReport::gone);
  if (out.boxes_ended) {
    out.trouble = trouble();
    boxes_.reset();
  }
  return out;
}

}  // namespace rankscope
