// Writes one CSV row per event.
#include "engine/analysis/export/export_csv.h"

#include <ostream>

#include <fmt/format.h>

#include "engine/account/messages.h"
#include "engine/analysis/events/event_text.h"
#include "engine/analysis/statistics.h"

namespace rankscope {
namespace {

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

/// The names that other columns give as numbers only.
std::string detail(const Trace& trace, const StepEvent& event) {
  if (event.kind == EventKind::note) return std::string(note_name(event.tag));
  return event.kind == EventKind::call ? call_text(trace, event) : std::string();
}

}  // namespace

void export_csv(const Trace& trace, std::ostream& out) { export_csv(trace, out, 0); }

void export_csv(const Trace& trace, std::ostream& out, std::uint64_t before) {
  using Kind = Definition::Kind;
  if (before == 0)
    out << "index,time_ns,begin_ns,rank,seq,strand,kind,verb,op,cause,peer,tag,bytes,comm,phase,"
           "in_buffer,in_offset,out_buffer,out_offset,dtype,reduce_op,site,detail\r\n";
  for (std::uint64_t k = 0; k < trace.size() && out; ++k) {
    const StepEvent& event = trace[k];
    out << fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},", before + k, trace.time_ns(k),
                       begin_ns(trace, k), event.rank, event.seq, event.strand,
                       to_string(event.kind), to_string(event.verb), op_text(event.op),
                       op_text(event.cause), event.peer, event.tag, event.bytes)
        << cell(definition_name(trace, Kind::comm, event.comm)) << ','
        << cell(phase_path(trace, event.phase)) << ','
        << cell(definition_name(trace, Kind::buffer, event.in_buffer)) << ',' << event.in_offset
        << ',' << cell(definition_name(trace, Kind::buffer, event.out_buffer)) << ','
        << event.out_offset << ',' << to_string(event.dtype) << ',' << to_string(event.reduce_op)
        << ',' << cell(site_text(trace, event.site)) << ',' << cell(detail(trace, event)) << "\r\n";
  }
}

}  // namespace rankscope
