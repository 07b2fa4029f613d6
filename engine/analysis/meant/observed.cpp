// Reads the notes of ranks from JSON; damaged ones are left out.
#include "engine/analysis/meant/observed.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"

namespace rankscope::meant {
namespace {

using nlohmann::json;

constexpr const char* kKey = "observed";

std::vector<double> numbers_of(const json& list) {
  std::vector<double> out;
  if (!list.is_array()) return out;
  for (const json& one : list)
    out.push_back(one.is_number() ? one.get<double>() : std::numeric_limits<double>::quiet_NaN());
  return out;
}

Values values_of(const json& one) {
  Values out{numbers_of(one.at("values")), one.value("dtype", ""), false};
  out.scalar = one.contains("shape") && one["shape"].empty();
  return out;
}

std::map<std::string, Values> variables_of(const json& all) {
  std::map<std::string, Values> out;
  for (const auto& [name, value] : all.items()) out.emplace(name, values_of(value));
  return out;
}

void read_events(const json& note, ObservedCall& call) {
  for (const json& one : note.value("history", json::array()))
    call.history.push_back(
        {one.at(0).get<int>(), one.at(1).get<std::string>(), numbers_of(one.at(2))});
  for (const json& one : note.value("verbs", json::array()))
    call.verbs.emplace_back(one.at(0).get<int>(), one.at(1).get<std::string>());
  for (const json& one : note.value("loops", json::array()))
    call.loops.push_back({one.at(0).get<int>(), one.at(1).get<int>(), one.at(2).get<int>()});
  for (const json& one : note.value("printed", json::array()))
    call.printed.emplace_back(one.at(0).get<int>(), numbers_of(one.at(1)));
}

ObservedCall call_of(const json& note) {
  ObservedCall call;
  call.rank = note.at("rank").get<Rank>();
  call.function = note.value("function", "");
  call.file = note.value("file", "");
  call.caller = note.value("caller", "");
  call.line = note.value("line", 0);
  call.number = note.value("number", 0);
  call.end = note.value("end", 0);
  call.begin = variables_of(note.value("begin", json::object()));
  call.after = variables_of(note.value("after", json::object()));
  call.arguments = note.value("arguments", std::vector<std::string>());
  call.carried = note.value("carried", std::vector<std::string>());
  if (note.contains("result") && note["result"].is_object())
    call.result = values_of(note["result"]);
  call.returns = note.value("returns", false);
  read_events(note, call);
  return call;
}

/// The notes of one kind that can be read.
template <class One, class Read>
std::vector<One> read_all(const json& notes, std::string_view kind, Read read) {
  std::vector<One> out;
  for (const json& note : notes) {
    if (!note.is_object() || note.value("kind", "") != kind) continue;
    try {
      out.push_back(read(note));
    } catch (const json::exception&) {
      continue;  // of another version, or damaged
    }
  }
  return out;
}

PrintedBytes printed_of(const json& note) {
  return {note.value("rank", -1), note.value("text", ""), note.value("file", ""),
          note.value("line", 0), note.value("counted", std::vector<int>())};
}

}  // namespace

std::string ObservedCall::site(int at) const {
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), at);
}

json parse_notes(const std::string& lines) {
  json notes = json::array();
  for (std::size_t at = 0; at < lines.size();) {
    const auto end = std::min(lines.find('\n', at), lines.size());
    json note = parse_json_or_none(std::string_view(lines).substr(at, end - at));
    at = end + 1;
    if (note.is_object()) notes.push_back(std::move(note));
  }
  return notes;
}

Observations observations_of(const json& kept, int ranks) {
  Observations out;
  out.ranks = ranks;
  try {
    out.as = kept.value("as", "");
    out.data = kept.value("data", "");
    const json notes = kept.value("notes", json::array());
    out.calls = read_all<ObservedCall>(notes, "call", call_of);
    out.telling = read_all<ObservedCall>(kept.value("telling", json::array()), "call", call_of);
    out.printed = read_all<PrintedBytes>(notes, "printed bytes", printed_of);
  } catch (const json::exception&) {
    return {};  // of another version
  }
  return out;
}

void keep_notes(TraceMeta& meta, const json& notes) {
  json result = parse_json_or_none(meta.result_json);
  if (!result.is_object()) result = json::object();
  result[kKey] = notes;
  meta.result_json = dump_json(result);
}

std::optional<Observations> observations_in(const TraceMeta& meta) {
  if (meta.result_json.find(kKey) == std::string::npos) return std::nullopt;
  const json result = parse_json_or_none(meta.result_json);
  if (!result.is_object() || !result.contains(kKey) || !result[kKey].is_object())
    return std::nullopt;
  return observations_of(result[kKey], meta.world_size);
}

std::optional<std::string> result_that_means(const TraceMeta& meta, const std::string& as,
                                             const std::string& data) {
  if (const auto known = observations_in(meta); !known || known->calls.empty()) return std::nullopt;
  json result = parse_json_or_none(meta.result_json);
  result[kKey]["as"] = as;
  result[kKey]["data"] = data;
  return dump_json(result);
}

}  // namespace rankscope::meant
