// Converts jobs and outcomes to JSON and back.
#include "engine/core/run/job_json.h"

#include <charconv>
#include <concepts>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/run/job_members.h"

namespace rankscope {
namespace {

using nlohmann::json;

// Checked here, because the library would truncate 2.5 to 2, and turn 1e300 and -1 into arbitrary values.
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

template <class T>
void take(const json& value, std::string_view key, T& into) {
  try {
    if (!fits(value, into)) throw json::other_error::create(501, "wrong type", &value);
    into = value.get<T>();
  } catch (const json::exception&) {
    throw UserError(fmt::format("the job's \"{}\" cannot be {}", key, dump_json(value)));
  }
}

void take(const json& value, std::string_view key, JobSpec& spec) {
  const JobMember* const member = find_job_member(key);
  if (member == nullptr) throw UserError(fmt::format("a job has no \"{}\"", key));
  with_value(spec, member->place, [&]<class T>(T& into) {
    if constexpr (std::is_enum_v<T>) {
      std::string text;
      take(value, key, text);
      if (!text.empty() && !parse_name(text, into))
        throw UserError(fmt::format("the job's \"{}\" cannot be \"{}\"", key, text));
    } else {
      take(value, key, into);
    }
  });
}

}  // namespace

json json_of(const JobSpec& spec) {
  static const JobSpec kDefault;
  const auto json_in = [](const JobSpec& of, const JobMember& member) {
    return with_value(of, member.place, [](const auto& value) { return value_of(value); });
  };
  json out = json::object();
  for (const JobMember& member : job_members()) {
    json value = json_in(spec, member);
    if (member.sparse && value == json_in(kDefault, member)) continue;
    out[std::string(member.key)] = std::move(value);
  }
  return out;
}

JobSpec take_job(json& object) {
  JobSpec job;
  for (auto at = object.begin(); at != object.end();) {
    try {
      take(at.value(), at.key(), job);
      at = object.erase(at);
    } catch (const UserError&) {
      ++at;
    }
  }
  return job;
}

JobSpec job_spec_of(const json& object) {
  if (!object.is_object()) throw UserError("a job must be a JSON object");
  JobSpec spec;
  for (const auto& [key, value] : object.items()) take(value, key, spec);
  return spec;
}

std::string to_json(const JobSpec& spec) { return dump_json(json_of(spec)); }

JobSpec job_from_json(std::string_view text) {
  const auto parsed = parse_json_or_none(text);
  if (parsed.is_discarded()) throw UserError("the job is not valid JSON");
  return job_spec_of(parsed);
}

namespace {

/// Calls `take` with the key and the place of each member that JSON holds as it is.
template <class Outcome, class Take>
void each_outcome_member(Outcome& o, const Take& take) {
  take("rank", o.rank);
  take("ok", o.ok);
  take("checked", o.checked);
  take("times_s", o.times_s);
  take("began_ns", o.began_ns);
  take("events", o.events);
  take("bytes_sent", o.bytes_sent);
  take("bytes_received", o.bytes_received);
  take("frames_sent", o.frames_sent);
  take("frames_received", o.frames_received);
  take("malformed", o.malformed);
  take("wrong_secret", o.wrong_secret);
  take("stale", o.stale);
}

}  // namespace

json json_of(const RankOutcome& o) {
  json out{{"digest", fmt::format("{:016x}", o.digest)}};
  each_outcome_member(o, [&](const char* key, const auto& value) { out[key] = value; });
  if (o.bytes_copied > 0) out["bytes_copied"] = o.bytes_copied;
  if (!o.error.empty()) out["error"] = o.error;
  if (o.cause != Cause::none) out["fault"] = to_string(o.cause);
  if (!o.reason.empty()) out["reason"] = o.reason;
  if (!o.site.empty()) out["site"] = o.site;
  if (!o.mismatch.ok())
    out["mismatch"] = {
        {"index", o.mismatch.index}, {"expected", o.mismatch.expected}, {"got", o.mismatch.got}};
  return out;
}

namespace {

/// Takes members out of an object, each of which may be missing or of another type. Fields that were read are removed,
/// so that the rest is what was not understood.
class Fields {
 public:
  explicit Fields(json& object) : object_(object) {}

  template <class T>
  bool take(const char* key, T& into) const {
    const auto at = object_.find(key);
    if (at == object_.end()) return false;
    try {
      if (!fits(*at, into)) return false;
      into = at->get<T>();
    } catch (const json::exception&) {
      return false;
    }
    object_.erase(at);
    return true;
  }

  /// Calls `read` with the fields of each object of a list.
  template <class Read>
  void take_each(const char* key, Read read) const {
    json list;
    if (!take(key, list) || !list.is_array()) return;
    for (json& one : list)
      if (one.is_object()) read(Fields(one));
  }

 private:
  json& object_;
};

Mismatch mismatch_of(json object) {
  Mismatch out;
  if (!object.is_object()) return out;
  const Fields fields(object);
  fields.take("index", out.index);
  fields.take("expected", out.expected);
  fields.take("got", out.got);
  return out;
}

RankOutcome outcome_in(const Fields& from) {
  RankOutcome o;
  each_outcome_member(o, [&](const char* key, auto& into) { from.take(key, into); });
  std::string digest, cause;
  if (from.take("digest", digest))
    std::from_chars(digest.data(), digest.data() + digest.size(), o.digest, 16);
  from.take("bytes_copied", o.bytes_copied);
  from.take("error", o.error);
  from.take("fault", cause);
  o.cause = cause_of(cause, o.rank, o.error);
  from.take("reason", o.reason);
  from.take("site", o.site);
  json mismatch;
  if (from.take("mismatch", mismatch)) o.mismatch = mismatch_of(std::move(mismatch));
  return o;
}

RankFailure failure_in(const Fields& from) {
  RankFailure failure;
  std::string loss;
  from.take("rank", failure.rank);
  from.take("what", failure.what);
  from.take("where", failure.where);
  from.take("lost_events", failure.lost_events);
  from.take("loss", loss);
  failure.loss = loss_of(loss, failure.what);
  return failure;
}

/// Reads an outcome whose status is known.
JobResult result_in(JobResult::Status status, const Fields& from) {
  JobResult result;
  result.status = status;
  from.take("message", result.message);
  from.take("algorithm", result.algorithm);
  from.take_each("ranks", [&](const Fields& one) {
    if (RankOutcome rank = outcome_in(one); rank.rank >= 0) result.ranks.push_back(std::move(rank));
  });
  from.take_each("failures", [&](const Fields& one) {
    if (RankFailure lost = failure_in(one); lost.rank >= 0)
      result.failures.push_back(std::move(lost));
  });
  from.take("start_s", result.start_s);
  from.take("elapsed_s", result.elapsed_s);
  from.take("events", result.events);
  from.take("lost_events", result.lost_events);
  from.take("refused", result.refused);
  from.take("pids", result.pids);
  from.take("failed_rank", result.failed_rank);
  json times, deadlock;
  from.take("times_s", times);  // times_s() computes them
  if (from.take("deadlock", deadlock) && deadlock.is_object()) {
    DeadlockText& text = result.deadlock.emplace();
    const Fields parts(deadlock);
    parts.take("headline", text.headline);
    parts.take("what", text.what);
    parts.take("advice", text.advice);
  }
  return result;
}

}  // namespace

json json_of(const RunFaults& faults) {
  json rows = json::array();
  for (const RunFault& fault : faults.faults) {
    json row = {{"rule", fault.rule}, {"says", fault.says}};
    if (!fault.site.empty()) row["site"] = fault.site;
    if (!fault.finding.empty()) row["finding"] = fault.finding;
    if (fault.rank >= 0) row["rank"] = fault.rank;
    if (fault.seq) row["seq"] = *fault.seq;
    rows.push_back(std::move(row));
  }
  return {{"exercise", faults.exercise}, {"run", faults.run}, {"rules", std::move(rows)}};
}

std::optional<RunFaults> faults_of(const json& kept) {
  RunFaults out{kept.value("exercise", ""), kept.value("run", ""), {}};
  for (const json& row : kept.value("rules", json::array())) {
    RunFault& fault = out.faults.emplace_back();
    fault.rule = row.value("rule", "");
    fault.says = row.value("says", "");
    fault.site = row.value("site", "");
    fault.finding = row.value("finding", "");
    fault.rank = row.value("rank", -1);
    if (row.contains("seq")) fault.seq = row["seq"].get<std::uint32_t>();
  }
  if (out.faults.empty()) return std::nullopt;
  return out;
}

RankOutcome outcome_of(const json& in) {
  json object = in;
  (void)object.at("rank").get<Rank>();
  (void)object.at("ok").get<bool>();
  return outcome_in(Fields(object));
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
  if (r.deadlock)
    out["deadlock"] = {{"headline", r.deadlock->headline},
                       {"what", r.deadlock->what},
                       {"advice", r.deadlock->advice}};
  return out;
}

std::optional<JobResult> take_result(json& object) {
  const auto at = object.find("status");
  if (at == object.end() || !at->is_string()) return std::nullopt;
  const auto status = parse_status(at->get<std::string>());
  if (!status) return std::nullopt;
  object.erase(at);
  return result_in(*status, Fields(object));
}

std::string to_json(const JobResult& result) { return dump_json(json_of(result)); }

}  // namespace rankscope
