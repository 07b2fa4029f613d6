// Serves one boxed rank: reads its requests, runs them on the rank's context, and sends the
// answers.
#include "engine/capi/agent.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <thread>
#include <utility>

#include "engine/capi/agent_run.h"
#include "engine/core/base/quantity.h"
#include "engine/run/job/execute.h"

namespace rankscope::capi {
namespace {

using nlohmann::json;

constexpr std::size_t kMostResults = 64;
constexpr std::size_t kLongestError = 2'000, kLongestName = 200;
constexpr std::chrono::milliseconds kAfterStop{2'000};
// When a rank's program is gone, the run ends for the others too: they have this long to use what it has sent, so that
// their observed actions do not depend on chance.
constexpr std::chrono::milliseconds kForOthers{400}, kLookAgain{10};
// In virtual time: the interval between checks of an idle rank's process, and the interval once no rank can wake it.
constexpr std::chrono::milliseconds kIdleLook{5}, kIdleForEver{5'000};
// A process that sent no verb for this long is named when the run is ended.
constexpr std::chrono::milliseconds kStaysAway{500};

}  // namespace

void AgentRun::send_task() {
  task_sent_ = true;
  say({{"task", task_.text}});
}

// A rank learns from its next verb that the run was stopped; it has a moment to send one.
std::optional<WireMessage> AgentRun::receive() {
  VirtualRank* const here = context().virtual_rank();
  const auto give_up = [this, here, since = Clock::now()] {
    const bool stopped_before = context().progress().stopped();
    if (here != nullptr) here->look_outside();
    if (!context().progress().stopped()) return false;
    if (!stopped_before) report_.awaited = Clock::now() - since > kStaysAway;
    if (!stopped_at_) stopped_at_ = Clock::now();
    return Clock::now() - *stopped_at_ > kAfterStop;
  };
  if (give_up()) return std::nullopt;  // also ends a rank that keeps sending requests
  if (here != nullptr && idle_) wait_until_called(*here);
  if (kept_) return std::exchange(kept_, std::nullopt);
  return agent_.wire_.receive(Deadline::never(), give_up, task_.most_memory);
}

// Other ranks must act before its process does, so time advances for it.
void AgentRun::wait_until_called(VirtualRank& here) {
  std::optional<Clock::time_point> still_since;
  bool for_ever = false;
  here.wait_outside([&](bool still) {
    if (context().progress().stopped() || !idle_ || kept_) return true;
    if (agent_.wire_.ready(still ? Deadline::in(kIdleLook) : Deadline::now())) {
      keep_request();
      return true;
    }
    if (!still) still_since.reset();
    else if (!still_since) still_since = Clock::now();
    for_ever = still_since && Clock::now() - *still_since > kIdleForEver;
    return for_ever;
  });
  if (for_ever)
    throw UserError(fmt::format(
        "rank {} waits for its next call for ever: all other ranks wait for messages or calls, too",
        context().rank()));
}

// "Awake again" is answered at once, even on another rank's fiber, because its driver may wait for the answer before
// it calls another rank. Other requests wait for their turn.
void AgentRun::keep_request() {
  try {
    kept_ = agent_.wire_.receive(Deadline::never(), {}, task_.most_memory);
  } catch (const std::exception&) {  // its process is gone; the next receive reports that
    idle_ = false;
    return;
  }
  const json& head = kept_->head;  // compared without value(), which throws for another type
  const bool awake =
      head.contains("do") && head["do"] == "idle" && head.contains("idle") && head["idle"] == 0;
  if (!awake) return;
  kept_.reset();
  idle_ = false;
  say(json::object());
}

// Charges the computing that its process did since the last answer.
void AgentRun::charge_compute(const WireMessage& request) {
  const auto cpu = request.head.find("cpu_ns");
  if (!joined_ || task_.compute <= 0 || cpu == request.head.end() || !cpu->is_number_unsigned())
    return;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 55;  // a year
  const double ns = task_.compute * static_cast<double>(std::min(cpu->get<std::uint64_t>(), kMost));
  Lines lines(request.head);
  static_cast<DirectComm&>(world()).comm().compute(
      std::chrono::nanoseconds(std::llround(std::min(ns, 9e18))), lines.site());
}

RankOutcome AgentRun::serve() {
  std::string fault;
  try {
    if (std::exchange(agent_.asked_, false)) send_task();
    while (next_request()) {
    }
  } catch (const std::exception& e) {
    fault = e.what();
    agent_.gone_ = report_.gone = true;
    const bool in_virtual_time =
        context().virtual_rank() != nullptr;  // where all ranks share this thread
    const auto until = Deadline::in(kForOthers);
    while (context().world_size() > 1 && !in_virtual_time && !context().progress().stopped() &&
           !until.passed())
      std::this_thread::sleep_for(kLookAgain);
  }
  if (task_.is_script() && fault.empty())
    fault = report_.error;  // the others are not to wait for it
  open_.clear();
  comms_.clear();
  leave(fault.empty() && report_.error.empty(), fault);
  return outcome(fault.empty(), fault);
}

// Returns false if this run is over for the rank.
bool AgentRun::next_request() {
  const auto request = receive();
  if (!request) throw UserError("did not stop when asked to");
  const auto what = field<std::string>(request->head, "do");
  if (what == "next_task") {
    if (!task_sent_) {
      send_task();
      return true;
    }
    agent_.asked_ = report_.finished = true;
    return false;
  }
  try {
    count(what);
    charge_compute(*request);
    if (!about_the_task(what, *request)) carry_out(*request);
  } catch (const ProtocolViolation&) {
    throw;
  } catch (const CommError& e) {
    const bool stopped = e.reason() == CommError::Reason::stopped;
    // Without a call site the words begin with the rank, which the other side adds.
    report_failed(stopped ? RS_STOPPED : RS_COMM, e.site().line == 0 ? e.words() : e.what(),
                  e.reason() == CommError::Reason::truncated);
  } catch (const std::exception& e) {
    report_failed(RS_USAGE, e.what());
  }
  return !(task_.is_script() && report_.finished);
}

// Asking whether something has come is no event, and may be done without end.
void AgentRun::count(const std::string& what) {
  if (what == "test" || what == "probe" || what == "wait" || what == "any") return;
  if (++verbs_ > task_.most_verbs)
    throw ProtocolViolation(fmt::format("made more than {} calls in one run", task_.most_verbs));
}

void AgentRun::report_failed(int code, const std::string& error, bool truncated) {
  say({{"code", code}, {"error", error}, {"rank", context().rank()}, {"truncated", truncated}});
}

bool AgentRun::about_the_task(const std::string& what, const WireMessage& request) {
  if (what == "input") {
    const auto index = field<std::size_t>(request.head, "index");
    if (index >= task_.inputs.size())
      throw UserError(
          fmt::format("the task has no input {} (0 to {})", index, task_.inputs.size()));
    say(json::object(), task_.inputs[index]);
  } else if (what == "result") {
    take_result(request);
    say(json::object());
  } else if (what == "join") {
    const int size = field<int>(request.head, "size"), rank = field<int>(request.head, "rank");
    const int ours = context().rank(), all = context().world_size();
    if (size != all || (rank >= 0 && rank != ours))
      throw UserError(fmt::format("this process is rank {} of {}, and cannot be rank {} of {}",
                                  ours, all, rank, size));
    joined_ = true;
    report_.platform = request.head.value("platform", "").substr(0, kLongestName);
    json answer = describe(static_cast<DirectComm&>(world()), 1);
    answer["full"] = full_trace();
    answer["script"] = task_.is_script();
    say(answer);
    // All ranks have joined before one goes on, because a driver may call the first only then.
    if (VirtualRank* const here = context().virtual_rank()) here->let_others_come();
  } else if (what == "leave") {
    joined_ = false;
    idle_ = false;
    open_.clear();
    if (task_.is_script()) handle_leave(request.head);
    say(json::object());
  } else {
    return false;
  }
  return true;
}

// A script's part ends when it leaves.
void AgentRun::handle_leave(const json& head) {
  if (!head.value("ok", true)) note_error(head.value("error", ""));
  report_.finished = true;
}

void AgentRun::note_error(const std::string& words) {
  report_.error = shown(words, kLongestError);
  report_.error_class = error_class(report_.error);
}

void AgentRun::take_result(const WireMessage& request) {
  const bool failed = request.head.contains("error");
  if (failed) {
    note_error(field<std::string>(request.head, "error"));
    report_.error_after_stop = context().progress().stopped();
  }
  if (!request.head.contains("memory")) return;
  const json& memory = object(request.head, "memory");
  if (failed) {
    const std::string about = memory.value("name", "");  // "OSError 28"
    const auto blank = std::min(about.rfind(' '), about.size());
    if (blank > 0) report_.error_class = shown(about.substr(0, blank), kLongestName);
    const char* const number = about.data() + std::min(blank + 1, about.size());
    std::from_chars(number, about.data() + about.size(), report_.error_number);
    return;
  }
  const int dtype = field<int>(memory, "dtype");
  if (dtype < 0 || dtype > static_cast<int>(DType::float64) ||
      report_.results.size() >= kMostResults)
    throw ProtocolViolation("a result of an unknown element type, or too many of them");
  result_bytes_ += request.body.size();
  if (result_bytes_ > task_.most_memory)
    throw ProtocolViolation(
        fmt::format("hands in more than {} of results", format_bytes(task_.most_memory)));
  TaskResult result;
  result.dtype = static_cast<DType>(dtype);
  result.data = request.body;
  if (memory.contains("name"))
    result.name = shown(field<std::string>(memory, "name"), kLongestName);
  std::uint64_t count = 1;
  for (const json& extent : memory.value("shape", json::array())) {
    if (!extent.is_number_unsigned() || extent.get<std::uint64_t>() > kMostArrayBytes ||
        result.shape.size() >= RS_DIMS)
      throw ProtocolViolation("a result of an impossible shape");
    result.shape.push_back(static_cast<Count>(extent.get<std::uint64_t>()));
    count *= extent.get<std::uint64_t>();
    if (count > kMostArrayBytes) throw ProtocolViolation("a result of an impossible shape");
  }
  if (count * dtype_size(result.dtype) != result.data.size())
    throw ProtocolViolation("a result whose shape does not fit");
  report_.results.push_back(std::move(result));
}

json AgentRun::describe(const DirectComm& comm, int number) {
  json members = json::array();
  for (int r = 0; r < comm.size(); ++r) members.push_back(comm.world_rank(r));
  return {{"comm", number}, {"rank", comm.rank()}, {"members", members}};
}

DirectComm& AgentRun::comm_of(const json& head) {
  const int number = field<int>(head, "comm");
  if (!joined_) throw UserError("this rank has not joined a run, or has left it");
  if (number == 1) return static_cast<DirectComm&>(world());
  const auto at = comms_.find(number);
  if (at == comms_.end()) throw ProtocolViolation("a communicator that there is not");
  return *at->second;
}

RankOutcome Agent::serve(RankContext& rank, const JobSpec& spec, std::uint32_t epoch,
                         const AgentTask& task, AgentReport& report) noexcept {
  RankOutcome outcome;
  outcome.rank = rank.rank();
  try {
    rank.begin_job(epoch, settings_of(spec, spec.recording.trace));
    outcome = AgentRun(*this, rank, spec, task, report).serve();
  } catch (const std::exception& e) {
    take_error(outcome, e);
    gone_ = report.gone = true;
  }
  return outcome;
}

bool Agent::ready(Deadline limit) noexcept try {
  if (gone_ || asked_) return asked_;
  const auto request = wire_.receive(limit);
  asked_ = request && request->head.value("do", "") == "next_task";
  gone_ = !asked_;
  return asked_;
} catch (const std::exception&) {
  gone_ = true;
  return false;
}

}  // namespace rankscope::capi
