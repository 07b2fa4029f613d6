// Names of what an event refers to, for exports and findings.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/trace/trace.h"

namespace rankscope {

std::string op_text(OpId op);  ///< "3:17"; empty for none.
/// "file.cpp:12 function", the innermost line; empty if unknown.
std::string site_text(const Trace& trace, std::uint32_t site);
/// "file.cpp:12", without folders; empty if unknown.
std::string short_site(const Trace& trace, std::uint32_t site);
std::string definition_name(const Trace& trace, Definition::Kind kind, std::uint32_t id);
/// "rank 2"; "any rank" for kAnyRank.
std::string rank_name(Rank rank);
/// "the request was never waited for"; "unknown" for a number that is no Note.
std::string_view note_text(std::int32_t note) noexcept;
/// "request_dropped"
std::string_view note_name(std::int32_t note) noexcept;
/// A call of a built-in collective: "allreduce (4 float32, SUM)", "broadcast (16 float64, root 2)", "barrier".
std::string call_text(const Trace& trace, const StepEvent& call);
/// `text` as a JSON string, with its quotes; bytes that are no UTF-8 are replaced.
std::string json_text(const std::string& text);

}  // namespace rankscope
