// How exports name what an event refers to.
#pragma once

#include <string>

#include "engine/core/trace.h"

namespace rankscope {

std::string op_text(OpId op);  ///< "3:17"; empty for none.
/// "file.cpp:12 function", the innermost line; empty when not known.
std::string site_text(const Trace& trace, std::uint32_t site);
std::string definition_name(const Trace& trace, Definition::Kind kind, std::uint32_t id);
/// `text` as a JSON string, with its quotes; bytes that are no UTF-8 are replaced.
std::string json_text(const std::string& text);

}  // namespace rankscope
