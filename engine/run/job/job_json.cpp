#include "engine/run/job/job_json.h"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

using nlohmann::json;

// Takes fields out of an object one by one; complains about what is left over.
class Fields {
  // The library would cut 2.5 to 2, and 1e300 and -1 to anything.
  template <class T>
  static bool fits(const json& value, const T&) {
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      if (value.is_number_unsigned()) return std::in_range<T>(value.get<std::uint64_t>());
      return value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
    }
    return true;
  }
  template <class T>
  static bool fits(const json& values, const std::vector<T>&) {
    return values.is_array() &&
           std::ranges::all_of(values, [](const json& value) { return fits(value, T{}); });
  }

 public:
  explicit Fields(const json& object) : object_(object) {
    if (!object.is_object()) throw UserError("a job must be a JSON object");
  }
  template <class T>
  void take(const char* name, T& into) {
    seen_.insert(name);
    if (const auto at = object_.find(name); at != object_.end()) {
      try {
        if (!fits(*at, into)) throw json::other_error::create(501, "wrong type", &*at);
        into = at->get<T>();
      } catch (const json::exception&) {
        throw UserError(fmt::format("the job's \"{}\" cannot be {}", name, at->dump()));
      }
    }
  }
  template <class E, class Parse>
  void take_name(const char* name, E& into, Parse parse) {
    std::string text;
    take(name, text);
    if (text.empty()) return;
    const auto value = parse(text);
    if (!value) throw UserError(fmt::format("the job's \"{}\" cannot be \"{}\"", name, text));
    into = *value;
  }
  void done() const {
    for (const auto& [name, value] : object_.items())
      if (!seen_.contains(name)) throw UserError(fmt::format("a job has no \"{}\"", name));
  }

 private:
  const json& object_;
  std::set<std::string> seen_;
};

}  // namespace

json json_of(const JobSpec& s) {
  json out = {{"algorithm", s.algorithm},
              {"world_size", s.world_size},
              {"shape", s.shape},
              {"dtype", to_string(s.dtype)},
              {"op", to_string(s.op)},
              {"root", s.root},
              {"scatter_dim", s.scatter_dim},
              {"gather_dim", s.gather_dim},
              {"segment_bytes", s.segment_bytes},
              {"group_size", s.group_size},
              {"left_ring", s.left_ring},
              {"transport", s.transport},
              {"send_mode", to_string(s.mode)},
              {"eager_limit", s.eager_limit},
              {"input", to_string(s.input)},
              {"seed", s.seed},
              {"check", s.check},
              {"trace", to_string(s.trace)},
              {"trace_every", s.trace_every},
              {"delays_us", s.delays_us},
              {"warmup", s.warmup},
              {"iterations", s.iterations},
              {"timeout_s", s.timeout_s}};
  if (!s.schedule.empty()) out["schedule"] = s.schedule;
  if (!s.values.empty()) out["values"] = s.values;
  if (!s.platform.empty()) out["platform"] = s.platform;
  if (s.every_wait) out["every_wait"] = true;
  return out;
}

JobSpec job_spec_of(const json& object) {
  JobSpec s;
  Fields fields(object);
  fields.take("algorithm", s.algorithm);
  fields.take("world_size", s.world_size);
  fields.take("shape", s.shape);
  fields.take_name("dtype", s.dtype, parse_dtype);
  fields.take_name("op", s.op, parse_reduce_op);
  fields.take("root", s.root);
  fields.take("scatter_dim", s.scatter_dim);
  fields.take("gather_dim", s.gather_dim);
  fields.take("segment_bytes", s.segment_bytes);
  fields.take("group_size", s.group_size);
  fields.take("left_ring", s.left_ring);
  fields.take("schedule", s.schedule);
  fields.take("transport", s.transport);
  fields.take_name("send_mode", s.mode, parse_send_mode);
  fields.take("eager_limit", s.eager_limit);
  fields.take_name("input", s.input, parse_input_pattern);
  fields.take("seed", s.seed);
  fields.take("values", s.values);
  fields.take("check", s.check);
  fields.take_name("trace", s.trace, parse_trace_level);
  fields.take("trace_every", s.trace_every);
  fields.take("delays_us", s.delays_us);
  fields.take("warmup", s.warmup);
  fields.take("iterations", s.iterations);
  fields.take("timeout_s", s.timeout_s);
  fields.take("platform", s.platform);
  fields.take("every_wait", s.every_wait);
  fields.done();
  return s;
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
  if (!o.error.empty()) out["error"] = o.error;
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
  o.error = in.value("error", "");
  if (const auto at = in.find("mismatch"); at != in.end()) {
    o.mismatch.index = at->at("index").get<Count>();
    o.mismatch.expected = at->at("expected").get<std::string>();
    o.mismatch.got = at->at("got").get<std::string>();
  }
  return o;
}

json json_of(const JobResult& r) {
  json failures = json::array();
  for (const auto& f : r.failures)
    failures.push_back(
        {{"rank", f.rank}, {"what", f.what}, {"where", f.where}, {"lost_events", f.lost_events}});
  json ranks = json::array();
  for (const auto& outcome : r.ranks) ranks.push_back(json_of(outcome));
  return {{"status", to_string(r.status)},
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
}

std::string to_json(const JobSpec& spec) { return json_of(spec).dump(); }
std::string to_json(const JobResult& result) { return json_of(result).dump(); }

JobSpec job_from_json(std::string_view text) {
  const auto parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded()) throw UserError("the job is not valid JSON");
  return job_spec_of(parsed);
}

}  // namespace rankscope
