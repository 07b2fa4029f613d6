// A trace written as a program's steps, verb by verb, with lines of code, buffers and communicators:
// for what no front end of ours records yet, and for faults that must come out the same each time.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/trace/trace_builder.h"

namespace rankscope::test {

/// Each step happens 100 ns after the one before, whichever rank's it is.
class ScriptedRun {
 public:
  static constexpr std::uint64_t kBytes = 16;

  explicit ScriptedRun(int ranks) : batches_(std::size_t(ranks)), ops_(batches_.size(), 0) {
    meta.world_size = ranks;
    meta.complete = true;
    meta.job.emplace().recording.every_wait = true;
    meta.outcome.emplace().status = JobResult::Status::ok;
    for (Rank rank = 0; rank < ranks; ++rank) {
      batch(rank).rank = rank;
      define(rank, Definition::Kind::comm, "world", [&](Definition& comm) {
        comm.context = 1;
        for (Rank member = 0; member < ranks; ++member) comm.extents.push_back(member);
      });
    }
  }
  void status(JobResult::Status status) { meta.outcome.emplace().status = status; }

  /// Where the next steps are made: a line of worker.py in a function, called from another place.
  void line(std::uint32_t number, std::string function = "main", std::uint32_t called_at = 0) {
    line_ = number;
    function_ = std::move(function);
    called_at_ = called_at;
  }
  /// The memory of the next operations: bytes of a named buffer of its rank; no name: not watched.
  void memory(std::string name, std::uint64_t offset = 0) {
    buffer_ = std::move(name);
    offset_ = offset;
  }
  void phase(std::string name) { phase_ = std::move(name); }

  // Returns the last event, which may be changed until the next step.
  StepEvent& last() { return *last_; }

  OpId post(Verb verb, Rank rank, Rank peer, std::uint64_t bytes = kBytes, Tag tag = 0) {
    StepEvent& event = put(EventKind::posted, verb, rank);
    event.op = make_op(rank, ++ops_[std::size_t(rank)]);
    event.peer = peer;
    event.bytes = bytes;
    event.tag = tag;
    event.dtype = DType::float32;
    if (!buffer_.empty()) {
      (is_send(verb) ? event.in_buffer : event.out_buffer) = buffer(rank);
      (is_send(verb) ? event.in_offset : event.out_offset) = offset_;
    }
    operations_[event.op] = event;
    return event.op;
  }
  /// A buffered send that is done at once.
  OpId send(Rank rank, Rank to, std::uint64_t bytes = kBytes, Tag tag = 0) {
    const OpId op = post(Verb::send, rank, to, bytes, tag);
    complete(op);
    return op;
  }
  OpId isend(Rank rank, Rank to, std::uint64_t bytes = kBytes, Tag tag = 0) {
    return send(rank, to, bytes, tag);  // a wait follows: that is the difference
  }
  OpId irecv(Rank rank, Rank from, std::uint64_t bytes = kBytes, Tag tag = 0) {
    return post(Verb::recv, rank, from, bytes, tag);
  }
  /// A blocking receive of a message that was sent.
  OpId recv(Rank rank, OpId message, bool wild = false, std::uint64_t bytes = kBytes) {
    const StepEvent sent = operations_.at(message);
    const OpId op = post(Verb::recv, rank, wild ? kAnyRank : sent.rank, bytes, sent.tag);
    arrive(op, message);
    return op;
  }
  /// The message arrives, and fits if `whole`.
  void arrive(OpId recv, OpId message, bool whole = true) {
    const StepEvent sent = operations_.at(message);
    for (const auto kind : {EventKind::matched, EventKind::completed}) {
      if (kind == EventKind::completed && !whole) continue;
      StepEvent event = operations_.at(recv);
      event.kind = kind;
      event.cause = message;
      event.peer = sent.rank;
      event.bytes = sent.bytes;
      append(event);
    }
  }
  void complete(OpId op) {
    StepEvent event = operations_.at(op);
    event.kind = EventKind::completed;
    append(event);
  }
  void wait(OpId op) {
    StepEvent& event = put(EventKind::local, Verb::wait, rank_of(op));
    event.cause = op;
  }
  /// The call of a built-in begins; until returned() the steps of all ranks stand in its phase.
  StepEvent& call(Rank rank, const std::string& name, std::uint64_t bytes = kBytes) {
    phase_ = std::string(kBuiltIn) + name;
    StepEvent& event = put(EventKind::call, Verb::phase_begin, rank);
    event.tag = ++calls_[rank];
    event.bytes = bytes;
    event.dtype = DType::float32;
    return event;
  }
  void returned(Rank rank) {
    put(EventKind::call, Verb::phase_end, rank);
    phase_.clear();
  }
  StepEvent& note(Note what, Rank rank, OpId about = 0) {
    StepEvent& event = put(EventKind::note, Verb::send, rank);
    event.tag = static_cast<std::int32_t>(what);
    event.cause = about;
    return event;
  }
  StepEvent& work(Verb verb, Rank rank) { return put(EventKind::local, verb, rank); }
  void end(Rank rank) { put(EventKind::job, Verb::job_end, rank); }
  void end_all() {
    for (Rank rank = 0; rank < meta.world_size; ++rank) end(rank);
  }

  std::uint32_t buffer(Rank rank) {
    return define(rank, Definition::Kind::buffer, buffer_, [](Definition& one) {
      one.extents = {1024};
      one.dtype = DType::float32;
    });
  }
  const std::vector<EventBatch>& batches() const noexcept { return batches_; }
  Trace trace() const { return make_trace(batches_, meta); }

  TraceMeta meta;

 private:
  EventBatch& batch(Rank rank) { return batches_[std::size_t(rank)]; }

  template <class Fill>
  std::uint32_t define(Rank rank, Definition::Kind kind, const std::string& name, Fill fill) {
    auto& known = defined_[{rank, int(kind)}];
    const auto [at, fresh] = known.try_emplace(name, std::uint32_t(known.size() + 1));
    if (!fresh) return at->second;
    Definition one;
    one.kind = kind;
    one.id = at->second;
    one.rank = rank;
    one.name = name;
    fill(one);
    batch(rank).definitions.push_back(std::move(one));
    return at->second;
  }
  std::uint32_t site(Rank rank) {
    if (line_ == 0) return 0;
    const auto place = [&](std::uint32_t line, const std::string& function, std::uint32_t parent) {
      return define(rank, Definition::Kind::site,
                    function + ":" + std::to_string(line) + "<" + std::to_string(parent),
                    [&](Definition& one) {
                      one.name = function;
                      one.file = "/home/ada/worker.py";
                      one.line = line;
                      one.parent = parent;
                    });
    };
    return place(line_, function_, called_at_ == 0 ? 0 : place(called_at_, "main", 0));
  }

  StepEvent& put(EventKind kind, Verb verb, Rank rank) {
    StepEvent event;
    event.kind = kind;
    event.verb = verb;
    event.rank = rank;
    event.comm = 1;
    event.site = site(rank);
    if (!phase_.empty())
      event.phase = define(rank, Definition::Kind::phase, phase_, [](Definition&) {});
    return append(event);
  }
  StepEvent& append(StepEvent event) {
    auto& events = batch(event.rank).events;
    event.seq = std::uint32_t(events.size());
    event.time_ns = event.begin_ns = (time_ += 100);
    events.push_back(event);
    return *(last_ = &events.back());
  }

  std::vector<EventBatch> batches_;
  std::vector<std::uint64_t> ops_;
  std::map<OpId, StepEvent> operations_;
  std::map<std::pair<Rank, int>, std::map<std::string, std::uint32_t>> defined_;
  std::map<Rank, std::int32_t> calls_;
  StepEvent* last_ = nullptr;
  std::int64_t time_ = 0;
  std::uint32_t line_ = 0, called_at_ = 0;
  std::string function_, buffer_, phase_;
  std::uint64_t offset_ = 0;
};

}  // namespace rankscope::test
