// `rankscope schedule prove`: is a schedule right, and free of deadlock?
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/schedule/fault_picture.h"
#include "cli/schedule/schedule_actions.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "engine/studio/proof/proof.h"

namespace rankscope::cli {
namespace {

Posting posting_of(const std::string& word) {
  if (word == "nonblocking") return Posting::nonblocking;
  if (word == "blocking") return Posting::blocking;
  throw UserError(fmt::format("--posting is nonblocking or blocking, not '{}'", word));
}

/// NCCL's connections have room for some messages, and so have MSCCL's; other sends are taken to wait.
bool waits_for_receives(const std::string& word, const ScheduleFile& file) {
  if (word.empty()) return file.format->format != ScheduleFormat::msccl;
  if (word == "rendezvous") return true;
  if (word == "buffered") return false;
  throw UserError(fmt::format("--send-mode is rendezvous or buffered, not '{}'", word));
}

nlohmann::json json_of(const ScheduleFault& fault, const TaskGraph& tasks) {
  auto path = nlohmann::json::array();
  for (const TaskId id : fault.path)
    path.push_back({{"rank", id.rank},
                    {"task", id.task},
                    {"does", words_of(tasks[id])},
                    {"step", tasks[id].step}});
  nlohmann::json out{{"kind", to_string(fault.kind)},
                     {"rank", fault.rank},
                     {"words", fault.words},
                     {"counter_example", path}};
  out["chunk"] = fault.chunk < 0 ? nlohmann::json() : nlohmann::json(fault.chunk);
  out["step"] = fault.step == 0 ? nlohmann::json() : nlohmann::json(fault.step);
  out["source"] = fault.source < 0 ? nlohmann::json() : nlohmann::json(fault.source);
  return out;
}

void print_fault(const Console& console, const ScheduleFault& fault, const TaskGraph& tasks) {
  std::string text =
      fmt::format("{}: {}.\n", console.out().bad(std::string(to_string(fault.kind))), fault.words);
  if (fault.path.size() > 1) {
    text += "Counter-example:\n";
    for (const TaskId id : fault.path)
      text += fmt::format("  rank {} {}\n", id.rank, words_of(tasks[id]));
  }
  console.print(text);
}

void print_right(const Console& console, const ScheduleProof& proof, const TaskGraph& tasks,
                 bool rendezvous, const ScheduleProof& with_rendezvous) {
  const std::string sends = rendezvous ? "rendezvous" : "buffered";
  if (proof.knows_data)
    console.print(fmt::format(
        "{}: {} on {} in {}. Every rank ends with what {} promises, each contribution exactly "
        "once, in every order; "
        "no rank is blocked for ever with {} sends.\n",
        console.out().good("Proved"), to_string(*tasks.collective), plural(tasks.ranks(), "rank"),
        plural(tasks.chunks, "chunk"), to_string(*tasks.collective), sends));
  else
    console.print(
        fmt::format("{} in order only: the file does not say which chunks its messages carry. Each "
                    "message has its receive, of "
                    "the same length, and no rank is blocked for ever with {} sends.\n",
                    console.out().good("Proved"), sends));
  if (!rendezvous && !with_rendezvous.right())
    console.note(fmt::format("With sends that wait for their receives it would be a deadlock: {}.",
                             with_rendezvous.faults.front().words));
}

}  // namespace

int prove_schedule(const Console& console, const ScheduleOptions& options) {
  const ScheduleFile file = read_schedule_file(options.files.front(), options);
  const Posting posting = posting_of(options.posting);
  const bool rendezvous = waits_for_receives(options.send_mode, file);
  if (!file.table && options.posting != "nonblocking")
    throw UserError(
        "--posting is for tables of moves: a file of another format says itself what waits for "
        "what");
  const TaskGraph tasks = file.table ? posted_tasks(*file.table, file.use(), posting) : file.tasks;
  const ScheduleProof proof = prove(tasks, rendezvous);
  const ScheduleProof with_rendezvous = rendezvous || !proof.right() ? proof : prove(tasks, true);
  if (!options.picture.empty()) draw_schedule(file, tasks, proof, options.picture);
  if (console.json()) {
    auto faults = nlohmann::json::array();
    for (const auto& fault : proof.faults) faults.push_back(json_of(fault, tasks));
    console.print_raw(json_text({{"right", proof.right()},
                                 {"knows_data", proof.knows_data},
                                 {"send_mode", rendezvous ? "rendezvous" : "buffered"},
                                 {"right_with_rendezvous", with_rendezvous.right()},
                                 {"wrong_places", proof.wrong_places},
                                 {"ranks", tasks.ranks()},
                                 {"chunks", tasks.chunks},
                                 {"faults", std::move(faults)}}));
    return proof.right() ? kOk : kFailed;
  }
  if (proof.right()) {
    print_right(console, proof, tasks, rendezvous, with_rendezvous);
    return kOk;
  }
  for (const auto& fault : proof.faults) print_fault(console, fault, tasks);
  if (proof.wrong_places > 1)
    console.print(fmt::format("In the end {} are wrong.\n", plural(proof.wrong_places, "chunk")));
  return kFailed;
}

}  // namespace rankscope::cli
