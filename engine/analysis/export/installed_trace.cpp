// librankscope-trace: a trace as programs of others read it (rankscope_trace.hpp).
#include <algorithm>
#include <limits>

#include "engine/analysis/events/rounds.h"
#include "engine/analysis/export/rankscope_trace.hpp"
#include "engine/core/base/error.h"
#include "engine/core/base/value_text.h"
#include "engine/core/trace/trace_file.h"

namespace rankscope::trace {

struct Trace::Data {
  rankscope::Trace trace;
  std::vector<Event> events;
  std::vector<Message> messages;
  int rounds = 0;
};

namespace {

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

long long position(std::uint64_t event) {
  return event == kNoEvent ? -1 : static_cast<long long>(event);
}

Event event_of(const rankscope::Trace& trace, std::uint64_t k) {
  const StepEvent& from = trace[k];
  Event out;
  out.rank = from.rank;
  out.peer = std::max(from.peer, -1);
  out.tag = from.tag;
  out.kind = to_string(from.kind);
  out.verb = to_string(from.verb);
  out.bytes = from.bytes;
  out.begin_s = seconds(begin_ns(trace, k));
  out.time_s = seconds(trace.time_ns(k));
  if (const Definition* const phase = trace.definition(Definition::Kind::phase, from.phase))
    out.phase = phase->name;
  if (const Definition* const site = trace.definition(Definition::Kind::site, from.site)) {
    out.function = site->name;
    out.file = site->file;
    out.line = static_cast<int>(site->line);
  }
  return out;
}

Message message_of(const MessageRecord& from, int round) {
  return {from.from,
          from.to,
          from.tag,
          from.bytes,
          round,
          position(from.sent),
          position(from.recv_posted),
          position(from.received)};
}

Buffer buffer_of(const Definition& definition, const BufferState& state) {
  Buffer out;
  out.rank = definition.rank;
  out.name = definition.name;
  out.dtype = to_string(definition.dtype);
  out.count = static_cast<std::size_t>(count_of(definition));
  const Sampling sampling(count_of(definition));
  const std::size_t size = dtype_size(definition.dtype);
  for (Count k = 0; k < sampling.size(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    out.positions.push_back(static_cast<std::size_t>(sampling.position(k)));
    const bool known =
        at < state.known.size() && state.known[at] && (at + 1) * size <= state.samples.size();
    out.values.push_back(known ? value_number(definition.dtype, &state.samples[at * size])
                               : std::numeric_limits<double>::quiet_NaN());
  }
  return out;
}

}  // namespace

Trace::Trace(const std::string& file) try {
  const auto data = std::make_shared<Data>();
  data->trace = TraceReader::open(file);
  for (std::uint64_t k = 0; k < data->trace.size(); ++k)
    data->events.push_back(event_of(data->trace, k));
  const Rounds all = rankscope::rounds(data->trace);
  for (std::size_t m = 0; m < all.messages.size(); ++m)
    if (!all.messages[m].sync) data->messages.push_back(message_of(all.messages[m], all.round[m]));
  data->rounds = all.count;
  data_ = data;
} catch (const std::exception& problem) {
  throw Error(problem.what());
}

int Trace::ranks() const { return data_->trace.world_size(); }
std::string Trace::algorithm() const { return data_->trace.meta().algorithm; }

bool Trace::ended_well() const {
  const auto& outcome = data_->trace.meta().outcome;
  return outcome && outcome->ok();
}

std::string Trace::outcome() const {
  const auto& outcome = data_->trace.meta().outcome;
  if (!outcome) return "the recording ends before the run does";
  return outcome->ok() ? "" : outcome->message;
}

double Trace::duration_s() const { return data_->events.empty() ? 0 : data_->events.back().time_s; }

const std::vector<Event>& Trace::events() const { return data_->events; }
const std::vector<Message>& Trace::messages() const { return data_->messages; }
int Trace::rounds() const { return data_->rounds; }

std::vector<Buffer> Trace::buffers(std::size_t events) const {
  if (events > data_->events.size())
    throw std::out_of_range("the trace has " + std::to_string(data_->events.size()) + " events");
  std::vector<Buffer> out;
  for (const BufferState& state : data_->trace.seek(events))
    if (const Definition* const buffer =
            data_->trace.definition(Definition::Kind::buffer, state.buffer))
      out.push_back(buffer_of(*buffer, state));
  std::ranges::stable_sort(out, {}, &Buffer::rank);
  return out;
}

}  // namespace rankscope::trace
