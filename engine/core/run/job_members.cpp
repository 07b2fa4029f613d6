#include "engine/core/run/job_members.h"

#include <optional>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

template <auto Group, auto Member>
auto& part(JobSpec& spec) {
  return spec.*Group.*Member;
}

constexpr JobMember kJobMembers[] = {
    {"world_size", part<&JobSpec::world, &JobSpec::World::size>},
    {"shape", part<&JobSpec::call, &JobSpec::Call::shape>},
    {"dtype", part<&JobSpec::call, &JobSpec::Call::dtype>},
    {"op", part<&JobSpec::call, &JobSpec::Call::op>},
    {"root", part<&JobSpec::call, &JobSpec::Call::root>},
    {"input", part<&JobSpec::data, &JobSpec::Data::input>},
    {"values", part<&JobSpec::data, &JobSpec::Data::values>, true},
    {"seed", part<&JobSpec::data, &JobSpec::Data::seed>},
    {"algorithm", part<&JobSpec::call, &JobSpec::Call::algorithm>},
    {"scatter_dim", part<&JobSpec::call, &JobSpec::Call::scatter_dim>},
    {"gather_dim", part<&JobSpec::call, &JobSpec::Call::gather_dim>},
    {"segment_bytes", part<&JobSpec::call, &JobSpec::Call::segment_bytes>},
    {"group_size", part<&JobSpec::call, &JobSpec::Call::group_size>},
    {"radix", part<&JobSpec::call, &JobSpec::Call::radix>, true},
    {"schedule", part<&JobSpec::call, &JobSpec::Call::schedule>, true},
    {"program", part<&JobSpec::call, &JobSpec::Call::program>, true},
    {"left_ring", part<&JobSpec::call, &JobSpec::Call::left_ring>},
    {"platform", part<&JobSpec::call, &JobSpec::Call::platform>, true},
    {"every_wait", part<&JobSpec::recording, &JobSpec::Recording::every_wait>, true},
    {"transport", part<&JobSpec::transport, &JobSpec::Transport::name>},
    {"send_mode", part<&JobSpec::transport, &JobSpec::Transport::mode>},
    {"eager_limit", part<&JobSpec::transport, &JobSpec::Transport::eager_limit>},
    {"delays_us", part<&JobSpec::world, &JobSpec::World::delays_us>},
    {"topology", part<&JobSpec::network, &JobSpec::Network::topology>, true},
    {"links", part<&JobSpec::network, &JobSpec::Network::links>, true},
    {"placement", part<&JobSpec::network, &JobSpec::Network::placement>, true},
    {"alpha_s", part<&JobSpec::network, &JobSpec::Network::alpha_s>, true},
    {"bandwidth", part<&JobSpec::network, &JobSpec::Network::bandwidth>, true},
    {"gamma_s", part<&JobSpec::network, &JobSpec::Network::gamma_s>, true},
    {"ports", part<&JobSpec::network, &JobSpec::Network::ports>, true},
    {"ghost", part<&JobSpec::network, &JobSpec::Network::ghost>, true},
    {"jitter", part<&JobSpec::network, &JobSpec::Network::jitter>, true},
    {"slow_ranks", part<&JobSpec::network, &JobSpec::Network::slow_ranks>, true},
    {"failures", part<&JobSpec::network, &JobSpec::Network::failures>, true},
    {"iterations", part<&JobSpec::recording, &JobSpec::Recording::iterations>},
    {"warmup", part<&JobSpec::recording, &JobSpec::Recording::warmup>},
    {"timeout_s", part<&JobSpec::recording, &JobSpec::Recording::timeout_s>},
    {"check", part<&JobSpec::data, &JobSpec::Data::check>},
    {"trace", part<&JobSpec::recording, &JobSpec::Recording::trace>},
    {"trace_every", part<&JobSpec::recording, &JobSpec::Recording::trace_every>},
};

template <class E>
bool take_name(std::optional<E> value, E& into) {
  if (value) into = *value;
  return value.has_value();
}

}  // namespace

std::span<const JobMember> job_members() { return kJobMembers; }

const JobMember* find_job_member(std::string_view key) {
  const auto* const found = ranges::find(kJobMembers, key, &JobMember::key);
  return found == std::end(kJobMembers) ? nullptr : found;
}

bool parse_name(std::string_view text, DType& into) { return take_name(parse_dtype(text), into); }
bool parse_name(std::string_view text, ReduceOp& into) {
  return take_name(parse_reduce_op(text), into);
}
bool parse_name(std::string_view text, SendMode& into) {
  return take_name(parse_send_mode(text), into);
}
bool parse_name(std::string_view text, InputPattern& into) {
  return take_name(parse_input_pattern(text), into);
}
bool parse_name(std::string_view text, TraceLevel& into) {
  return take_name(parse_trace_level(text), into);
}

}  // namespace rankscope
