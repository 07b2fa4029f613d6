// Formats an event's operation, call site, definition, note and call for exports.
#include "engine/analysis/events/event_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/events/built_in_calls.h"
#include "engine/core/base/json_text.h"

namespace rankscope {
namespace {

struct NoteWords {
  std::string_view name = "unknown", text = "unknown";
};

NoteWords note_words(std::int32_t note) noexcept {
  if (static_cast<Note>(note) == kSeveralThreads)
    return {"several_threads", "a second thread makes calls"};
  switch (static_cast<Note>(note)) {
    case Note::request_dropped: return {"request_dropped", "the request was never waited for"};
    case Note::buffer_changed: return {"buffer_changed", "its memory changed while it was open"};
    case Note::self_send: return {"self_send", "a blocking send to the rank itself was refused"};
    case Note::not_contiguous: return {"not_contiguous", "an array with gaps was refused"};
    case Note::group_made: return {"group_made", "new_group was called"};
  }
  return {};
}

}  // namespace

std::string op_text(OpId op) {
  if (op == 0) return {};
  return fmt::format("{}:{}", rank_of(op), op & ((OpId{1} << kOpCounterBits) - 1));
}

std::string site_text(const Trace& trace, std::uint32_t site) {
  const auto* definition = trace.definition(Definition::Kind::site, site);
  if (definition == nullptr) return {};
  return fmt::format("{}:{} {}", definition->file, definition->line, definition->name);
}

std::string short_site(const Trace& trace, std::uint32_t site) {
  const auto* definition = trace.definition(Definition::Kind::site, site);
  if (definition == nullptr || definition->line == 0) return {};
  const std::string_view file = definition->file;
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), definition->line);
}

std::string definition_name(const Trace& trace, Definition::Kind kind, std::uint32_t id) {
  const auto* definition = trace.definition(kind, id);
  return definition == nullptr ? std::string() : definition->name;
}

std::string rank_name(Rank rank) { return rank < 0 ? "any rank" : fmt::format("rank {}", rank); }

std::string_view note_text(std::int32_t note) noexcept { return note_words(note).text; }

std::string_view note_name(std::int32_t note) noexcept { return note_words(note).name; }

std::string call_text(const Trace& trace, const StepEvent& call) {
  auto name = built_in_name(trace, call);
  std::string arguments;
  if (call.bytes > 0)
    arguments = fmt::format("{} {}", call.bytes / dtype_size(call.dtype), to_string(call.dtype));
  const auto add = [&](const std::string& one) {
    arguments += (arguments.empty() ? "" : ", ") + one;
  };
  if (const auto* called = find_collective(name); called != nullptr && called->reduces)
    add(std::string(to_string(call.reduce_op)));
  if (call.peer >= 0) add(fmt::format("root {}", call.peer));
  return arguments.empty() ? name : fmt::format("{} ({})", name, arguments);
}

std::string json_text(const std::string& text) { return dump_json(nlohmann::json(text)); }

}  // namespace rankscope
