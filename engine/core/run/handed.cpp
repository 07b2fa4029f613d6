// Reads and writes the notes of ranks as JSON.
#include "engine/core/run/handed.h"

#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "engine/core/base/text.h"

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

/// Calls `take` with the key and the place of each member that JSON holds as it is.
template <class Note, class Take>
void each_member(Note& one, const Take& take) {
  using Kind = std::remove_const_t<Note>;
  take("rank", one.rank);
  take("size", one.size);
  take("key", one.key);
  take("file", one.file);
  take("line", one.line);
  if constexpr (std::is_same_v<Kind, Call>) {
    take("function", one.function);
    take("caller", one.caller);
    take("number", one.number);
    take("end", one.end);
    take("arguments", one.arguments);
    take("carried", one.carried);
    take("exchanged", one.exchanged);
    take("returns", one.returns);
  } else if constexpr (std::is_same_v<Kind, PrintedBytes>) {
    take("text", one.text);
    take("counted", one.counted);
  } else {
    take("what", one.what);
    take("why", one.why);
    take("advice", one.advice);
    take("harmless", one.harmless);
    take("state", one.state);
    take("lacks", one.lacks);
  }
}

template <class Note>
Note plain_of(const json& note) {
  Note one;
  each_member(one, [&](const char* key, auto& into) { into = note.value(key, into); });
  return one;
}

template <class Note>
json json_of(const Note& one, const char* kind) {
  json out{{"kind", kind}};
  each_member(one, [&](const char* key, const auto& value) { out[key] = value; });
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
  Call call = plain_of<Call>(note);
  call.begin = variables_of(note.value("begin", json::object()));
  call.after = variables_of(note.value("after", json::object()));
  if (note.contains("result") && note["result"].is_object())
    call.result = values_of(note["result"]);
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
  json out = json_of(call, kCall);
  out["begin"] = json_of(call.begin);
  out["after"] = json_of(call.after);
  out["result"] = call.result ? json_of(*call.result) : json();
  out["history"] = std::move(history);
  out["verbs"] = std::move(verbs);
  out["loops"] = std::move(loops);
  out["printed"] = std::move(printed);
  return out;
}

/// Adds a note to those of its kind. Skips a note of another version, or a damaged one.
void read_note(const json& note, std::vector<Call>& calls, Handed& others) {
  if (!note.is_object()) return;
  try {
    const std::string kind = note.value("kind", "");
    if (kind == kCall && note.contains("rank")) calls.push_back(call_of(note));
    else if (kind == kPrintedBytes) others.printed.push_back(plain_of<PrintedBytes>(note));
    else if (kind == kRemark) others.remarks.push_back(plain_of<Remark>(note));
    else if (kind == kAdvice) others.advice.push_back(plain_of<Remark>(note));
  } catch (const json::exception&) {
    return;
  }
}

}  // namespace

std::string Handed::Call::site(int at) const {
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), at);
}

void parse_notes(std::string_view lines, Handed& into) {
  for (const std::string_view line : lines_of(lines))
    read_note(parse_json_or_none(line), into.calls, into);
}

json json_of(const Handed& handed) {
  json notes = json::array(), telling = json::array();
  for (const Call& call : handed.calls) notes.push_back(json_of(call));
  for (const PrintedBytes& one : handed.printed) notes.push_back(json_of(one, kPrintedBytes));
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
