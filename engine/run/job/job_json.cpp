// Converts job specifications and outcomes to JSON and back.
#include "engine/run/job/job_json.h"

#include <charconv>
#include <concepts>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/run/job/job_fields.h"

namespace rankscope {
namespace {

using nlohmann::json;

// The library would cut 2.5 to 2, and 1e300 and -1 to anything.
template <class T>
bool fits(const json& value, const T&) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    if (value.is_number_unsigned()) return std::in_range<T>(value.get<std::uint64_t>());
    return value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
  }
  return true;
}
template <class T>
bool fits(const json& values, const std::vector<T>&) {
  return values.is_array() &&
         ranges::all_of(values, [](const json& value) { return fits(value, T{}); });
}

template <class T>
json value_of(const T& value) {
  if constexpr (std::is_enum_v<T>) return to_string(value);
  else return value;
}

json value_of(const JobSpec& spec, const JobField& field) {
  return std::visit([&](auto member) { return value_of(spec.*member); }, field.member);
}

template <class T>
void take(const json& value, std::string_view key, T& into) {
  try {
    if (!fits(value, into)) throw json::other_error::create(501, "wrong type", &value);
    into = value.get<T>();
  } catch (const json::exception&) {
    throw UserError(fmt::format("the job's \"{}\" cannot be {}", key, dump_json(value)));
  }
}

void take(const json& value, const JobField& field, JobSpec& spec) {
  std::visit(
      [&]<class T>(T JobSpec::*member) {
        if constexpr (std::is_enum_v<T>) {
          std::string text;
          take(value, field.key, text);
          if (!text.empty() && !parse_name(text, spec.*member))
            throw UserError(fmt::format("the job's \"{}\" cannot be \"{}\"", field.key, text));
        } else {
          take(value, field.key, spec.*member);
        }
      },
      field.member);
}

}  // namespace

json json_of(const JobSpec& spec) {
  static const JobSpec kDefault;
  json out = json::object();
  for (const JobField& field : job_fields()) {
    json value = value_of(spec, field);
    if (field.sparse && value == value_of(kDefault, field)) continue;
    out[std::string(field.key)] = std::move(value);
  }
  return out;
}

JobSpec job_spec_of(const json& object) {
  if (!object.is_object()) throw UserError("a job must be a JSON object");
  JobSpec spec;
  for (const auto& [key, value] : object.items()) {
    const JobField* const field = find_job_field(&JobField::key, key);
    if (field == nullptr) throw UserError(fmt::format("a job has no \"{}\"", key));
    take(value, *field, spec);
  }
  return spec;
}

json json_of(const RankOutcome& o) {
  json out = {{"rank", o.rank},
              {"ok", o.ok},
              {"checked", o.checked},
              {"digest", fmt::format("{:016x}", o.digest)},
              {"times_s", o.times_s},
              {"began_ns", o.began_ns},
              {"events", o.events},
              {"bytes_sent", o.bytes_sent},
              {"bytes_received", o.bytes_received},
              {"frames_sent", o.frames_sent},
              {"frames_received", o.frames_received},
              {"malformed", o.malformed},
              {"wrong_secret", o.wrong_secret},
              {"stale", o.stale}};
  if (o.bytes_copied > 0) out["bytes_copied"] = o.bytes_copied;
  if (!o.error.empty()) out["error"] = o.error;
  if (o.fault != RankFault::none) out["fault"] = to_string(o.fault);
  if (!o.reason.empty()) out["reason"] = o.reason;
  if (!o.site.empty()) out["site"] = o.site;
  if (!o.mismatch.ok())
    out["mismatch"] = {
        {"index", o.mismatch.index}, {"expected", o.mismatch.expected}, {"got", o.mismatch.got}};
  return out;
}

RankOutcome outcome_of(const json& in) {
  RankOutcome o;
  o.rank = in.at("rank").get<Rank>();
  o.ok = in.at("ok").get<bool>();
  o.checked = in.at("checked").get<bool>();
  const auto digest = in.at("digest").get<std::string>();
  std::from_chars(digest.data(), digest.data() + digest.size(), o.digest, 16);
  o.times_s = in.at("times_s").get<std::vector<double>>();
  o.began_ns = in.at("began_ns").get<std::int64_t>();
  o.events = in.at("events").get<std::uint64_t>();
  o.bytes_sent = in.at("bytes_sent").get<std::uint64_t>();
  o.bytes_received = in.at("bytes_received").get<std::uint64_t>();
  o.frames_sent = in.at("frames_sent").get<std::uint64_t>();
  o.frames_received = in.at("frames_received").get<std::uint64_t>();
  o.malformed = in.at("malformed").get<std::uint64_t>();
  o.wrong_secret = in.at("wrong_secret").get<std::uint64_t>();
  o.stale = in.at("stale").get<std::uint64_t>();
  o.bytes_copied = in.value("bytes_copied", std::uint64_t{0});
  o.error = in.value("error", "");
  o.fault = fault_of(in.value("fault", ""), o.rank, o.error);
  o.reason = in.value("reason", "");
  o.site = in.value("site", "");
  if (const auto at = in.find("mismatch"); at != in.end()) {
    o.mismatch.index = at->at("index").get<Count>();
    o.mismatch.expected = at->at("expected").get<std::string>();
    o.mismatch.got = at->at("got").get<std::string>();
  }
  return o;
}

json json_of(const DeadlockText& text) {
  return {{"headline", text.headline}, {"what", text.what}, {"advice", text.advice}};
}

DeadlockText deadlock_text_of(const json& json) {
  return {json.value("headline", ""), json.value("what", ""), json.value("advice", "")};
}

json json_of(const JobResult& r) {
  json failures = json::array();
  for (const auto& f : r.failures) {
    failures.push_back(
        {{"rank", f.rank}, {"what", f.what}, {"where", f.where}, {"lost_events", f.lost_events}});
    if (f.loss != RankLoss::unknown) failures.back()["loss"] = to_string(f.loss);
  }
  json ranks = json::array();
  for (const auto& outcome : r.ranks) ranks.push_back(json_of(outcome));
  json out = {{"status", to_string(r.status)},
              {"message", r.message},
              {"algorithm", r.algorithm},
              {"ranks", ranks},
              {"failures", failures},
              {"start_s", r.start_s},
              {"elapsed_s", r.elapsed_s},
              {"events", r.events},
              {"lost_events", r.lost_events},
              {"refused", r.refused},
              {"pids", r.pids},
              {"times_s", r.times_s()}};
  if (r.failed_rank >= 0) out["failed_rank"] = r.failed_rank;
  if (r.deadlock) out["deadlock"] = json_of(*r.deadlock);
  return out;
}

std::string to_json(const JobSpec& spec) { return dump_json(json_of(spec)); }
std::string to_json(const JobResult& result) { return dump_json(json_of(result)); }

JobSpec job_from_json(std::string_view text) {
  const auto parsed = parse_json_or_none(text);
  if (parsed.is_discarded()) throw UserError("the job is not valid JSON");
  return job_spec_of(parsed);
}

}  // namespace rankscope
