// Reads and writes the notes of ranks as JSON.
#include "engine/core/run/handed.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"

namespace rankscope {
namespace {

using nlohmann::json;
using Values = Handed::Values;
using Call = Handed::Call;
using PrintedBytes = Handed::PrintedBytes;
using Remark = Handed::Remark;

constexpr const char *kCall = "call", *kPrintedBytes = "printed bytes", *kRemark = "remark",
                     *kAdvice = "advice";

std::vector<double> numbers_of(const json& list) {
  std::vector<double> out;
  if (!list.is_array()) return out;
  for (const json& one : list)
    out.push_back(one.is_number() ? one.get<double>() : std::numeric_limits<double>::quiet_NaN());
  return out;
}

Values values_of(const json& one) {
  Values out{numbers_of(one.at("values")), one.value("dtype", ""), {}};
  if (one.contains("shape")) out.shape = one["shape"].get<std::vector<Count>>();
  return out;
}

json json_of(const Values& values) {
  json out{{"values", values.values}, {"dtype", values.dtype}};
  if (values.shape) out["shape"] = *values.shape;
  return out;
}

std::map<std::string, Values> variables_of(const json& all) {
  std::map<std::string, Values> out;
  for (const auto& [name, value] : all.items()) out.emplace(name, values_of(value));
  return out;
}

json json_of(const std::map<std::string, Values>& variables) {
  json out = json::object();
  for (const auto& [name, values] : variables) out[name] = json_of(values);
  return out;
}

void read_events(const json& note, Call& call) {
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

Call call_of(const json& note) {
  Call call;
  call.rank = note.at("rank").get<Rank>();
  call.size = note.value("size", 0);
  call.key = note.value("key", "");
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
  call.exchanged = note.value("exchanged", std::vector<std::string>());
  if (note.contains("result") && note["result"].is_object())
    call.result = values_of(note["result"]);
  call.returns = note.value("returns", false);
  read_events(note, call);
  return call;
}

json json_of(const Call& call) {
  json history = json::array(), verbs = json::array(), loops = json::array(),
       printed = json::array();
  for (const Handed::Change& one : call.history)
    history.push_back({one.line, one.name, one.values});
  for (const auto& [line, name] : call.verbs) verbs.push_back({line, name});
  for (const Handed::Loop& one : call.loops) loops.push_back({one.first, one.last, one.passes});
  for (const auto& [line, numbers] : call.printed) printed.push_back(json::array({line, numbers}));
  return {{"kind", kCall},
          {"rank", call.rank},
          {"size", call.size},
          {"key", call.key},
          {"function", call.function},
          {"file", call.file},
          {"caller", call.caller},
          {"line", call.line},
          {"number", call.number},
          {"end", call.end},
          {"begin", json_of(call.begin)},
          {"after", json_of(call.after)},
          {"arguments", call.arguments},
          {"carried", call.carried},
          {"exchanged", call.exchanged},
          {"result", call.result ? json_of(*call.result) : json()},
          {"returns", call.returns},
          {"history", std::move(history)},
          {"verbs", std::move(verbs)},
          {"loops", std::move(loops)},
          {"printed", std::move(printed)}};
}

PrintedBytes printed_of(const json& note) {
  return {note.value("rank", -1),
          note.value("size", 0),
          note.value("key", ""),
          note.value("text", ""),
          note.value("file", ""),
          note.value("line", 0),
          note.value("counted", std::vector<int>())};
}

json json_of(const PrintedBytes& one) {
  return {{"kind", kPrintedBytes}, {"rank", one.rank},      {"size", one.size},
          {"key", one.key},        {"text", one.text},      {"file", one.file},
          {"line", one.line},      {"counted", one.counted}};
}

Remark remark_of(const json& note) {
  return {note.value("rank", -1),  note.value("size", 0),     note.value("key", ""),
          note.value("what", ""),  note.value("why", ""),     note.value("advice", ""),
          note.value("file", ""),  note.value("line", 0),     note.value("harmless", false),
          note.value("state", ""), note.value("lacks", false)};
}

json json_of(const Remark& one, const char* kind) {
  return {
      {"kind", kind},     {"rank", one.rank},         {"size", one.size},     {"key", one.key},
      {"what", one.what}, {"why", one.why},           {"advice", one.advice}, {"file", one.file},
      {"line", one.line}, {"harmless", one.harmless}, {"state", one.state},   {"lacks", one.lacks}};
}

/// Adds a note to those of its kind. Skips a note of another version, or a damaged one.
void read_note(const json& note, std::vector<Call>& calls, Handed& others) {
  if (!note.is_object()) return;
  try {
    const std::string kind = note.value("kind", "");
    if (kind == kCall) calls.push_back(call_of(note));
    else if (kind == kPrintedBytes) others.printed.push_back(printed_of(note));
    else if (kind == kRemark) others.remarks.push_back(remark_of(note));
    else if (kind == kAdvice) others.advice.push_back(remark_of(note));
  } catch (const json::exception&) {
    return;
  }
}

}  // namespace

std::string Handed::Call::site(int at) const {
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), at);
}

void parse_notes(std::string_view lines, Handed& into) {
  for (std::size_t at = 0; at < lines.size();) {
    const auto end = std::min(lines.find('\n', at), lines.size());
    read_note(parse_json_or_none(lines.substr(at, end - at)), into.calls, into);
    at = end + 1;
  }
}

json json_of(const Handed& handed) {
  json notes = json::array(), telling = json::array();
  for (const Call& call : handed.calls) notes.push_back(json_of(call));
  for (const PrintedBytes& one : handed.printed) notes.push_back(json_of(one));
  for (const Remark& one : handed.remarks) notes.push_back(json_of(one, kRemark));
  for (const Remark& one : handed.advice) notes.push_back(json_of(one, kAdvice));
  for (const Call& call : handed.telling) telling.push_back(json_of(call));
  json out{{"as", handed.as}, {"data", handed.data}, {"notes", std::move(notes)}};
  if (!telling.empty()) out["telling"] = std::move(telling);
  return out;
}

Handed handed_of(const json& kept, int ranks) {
  Handed out;
  out.ranks = ranks;
  try {
    out.as = kept.value("as", "");
    out.data = kept.value("data", "");
    Handed none;
    for (const json& note : kept.value("notes", json::array())) read_note(note, out.calls, out);
    for (const json& note : kept.value("telling", json::array()))
      read_note(note, out.telling, none);
  } catch (const json::exception&) {
    return {};  // of another version
  }
  return out;
}

}  // namespace rankscope
