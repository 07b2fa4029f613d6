// The rows of a job's fields, their ranges, and fields as people type them: numbers, sizes, times, words.
#include "engine/run/job/job_fields.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/run/job/given_values.h"
#include "engine/run/job/sim_job.h"
#include "transports/factory.h"

namespace rankscope {
namespace {

constexpr int kMaxWorldSize = 1024, kMaxSimulated = 1 << 20;
constexpr double kLongestTimeout = 1e8;  // seconds: three years; JSON has no infinity
constexpr double kLongestDelay = 60e6;   // microseconds

void check_world_size(const JobSpec& spec) {
  const int most = spec.is_simulated() ? kMaxSimulated : kMaxWorldSize;
  if (spec.world.size < 1 || spec.world.size > most)
    throw UserError(fmt::format("the world size must be 1 to {}, not {}", most, spec.world.size));
}

void check_root(const JobSpec& spec) {
  if (spec.call.root < 0 || spec.call.root >= spec.world.size)
    throw UserError(fmt::format("root {} does not exist in a world of {} ranks (0 to {})",
                                spec.call.root, spec.world.size, spec.world.size - 1));
}

void check_group_size(const JobSpec& spec) {
  if (spec.call.group_size < 0 || spec.call.group_size > spec.world.size)
    throw UserError(fmt::format("a group size must be 1 to {} (0: chosen), not {}", spec.world.size,
                                spec.call.group_size));
}

void check_radix(const JobSpec& spec) {
  if (spec.call.radix < 0 || spec.call.radix == 1 || spec.call.radix > kMaxWorldSize)
    throw UserError(
        fmt::format("a radix must be 2 to {} (0: 4), not {}", kMaxWorldSize, spec.call.radix));
}

void check_delays(const JobSpec& spec) {
  if (static_cast<int>(spec.world.delays_us.size()) > spec.world.size)
    throw UserError(fmt::format("delays are given for {} ranks, but there are {}",
                                spec.world.delays_us.size(), spec.world.size));
  std::ranges::for_each(spec.world.delays_us, check_delay);
}

void check_repetitions(const JobSpec& spec) {
  if (spec.recording.warmup < 0 || spec.recording.iterations < 1)
    throw UserError(
        fmt::format("iterations must be 1 or more and warm-ups 0 or more, not {} and {}",
                    spec.recording.iterations, spec.recording.warmup));
}

void check_timeout(const JobSpec& spec) {
  if (!(spec.recording.timeout_s > 0 && spec.recording.timeout_s <= kLongestTimeout))
    throw UserError(fmt::format("the time-out must be more than 0 and up to {} s, not {} s",
                                kLongestTimeout, spec.recording.timeout_s));
}

using Section = JobField::Section;
using Unit = JobField::Unit;

// Latency and bandwidth belong to the uniform network; another topology's file has its own.
void check_topology_of(const JobSpec& spec) {
  const JobSpec usual;
  if (!spec.network.topology.empty() && (spec.network.alpha_s != usual.network.alpha_s ||
                                         spec.network.bandwidth != usual.network.bandwidth))
    throw UserError(
        "latency and bandwidth are of the uniform network: with a topology, its file says them "
        "(links, [model])");
}

void check_simulated(const JobSpec& spec) {
  if (spec.network != JobSpec::Network{} && !spec.is_simulated())
    throw UserError(
        fmt::format("topology, latency, bandwidth and the like are of a simulated network: choose "
                    "the transport {}",
                    transport_names(" or ", &Transport::virtual_time)));
  if (spec.is_simulated()) sim_setting_of(spec);
}

std::vector<std::string> port_names() { return {"full", "half", "none"}; }
std::vector<std::string> all_transports() { return transport_list(); }

struct More {
  Unit unit = Unit::none;
  double lesson_unit = 1;
  std::vector<std::string> (*choices)() = nullptr;
  void (*check)(const JobSpec&) = nullptr;
};

/// A field's key in JSON and its names in lessons, in commands and as an option, with the option's placeholder and
/// help. An empty name means that the field is not offered there.
struct Row {
  std::string_view key, lesson = {}, word = {}, option = {};
  std::string placeholder = {}, help = {};
  More more = {};
};

void add(std::vector<JobField>& rows, Section section, std::initializer_list<Row> added) {
  for (const Row& row : added)
    rows.push_back({row.key, find_job_member(row.key)->place, row.lesson, row.word, row.option,
                    section, row.placeholder, row.help, row.more.unit, row.more.lesson_unit,
                    row.more.choices, row.more.check});
}

void add_data_and_messages(std::vector<JobField>& rows) {
  add(rows, Section::data,
      {{"world_size", "ranks", "ranks", "-n,--ranks", "N", "Number of ranks",
        More{.check = check_world_size}},
       {"shape", "shape", "shape", "--shape", "AxBxC",
        "Shape of a rank's input, such as 2x8x4 (alltoall)"},
       {"dtype", "dtype", "dtype", "--dtype", "DTYPE", "Type of an element"},
       {"op", "op", "op", "--op", "OP", "How values are combined"},
       {"root", "root", "root", "--root", "RANK", "Root of broadcast, reduce, gather and scatter",
        More{.check = check_root}},
       {"input", "input", "input", "--input", "exact|index|rank|real",
        "Values: small exact integers; the element's index; rank + 1; reals in [-1, 1)"},
       {"values", "", "values", "--values", "V,V;V,V",
        "Values of your own: 5,3,7,2 (one per rank) or 0,10;1,11;2,12 (rank by rank, each "
        "element)"},
       {"seed", "seed", "seed", "--seed", "NUMBER", "Seed of the values"}});
  add(rows, Section::none,
      {{"algorithm", "algorithm", "algorithm", "ALGORITHM", "ALGORITHM",
        "What to run; see `rankscope list`"}});
  add(rows, Section::algorithm,
      {{"scatter_dim", "scatter_dim", "scatter-dim", "--scatter-dim", "DIM",
        "alltoall: the dimension that is cut"},
       {"gather_dim", "gather_dim", "gather-dim", "--gather-dim", "DIM",
        "alltoall: the dimension that grows"},
       {"segment_bytes", "segment", "segment", "--segment", "SIZE",
        "Segments of pipelined algorithms; 0: the algorithm's own choice",
        More{.unit = Unit::bytes}},
       {"group_size", "group", "group", "--group", "RANKS",
        "Group size of hierarchical algorithms; 0: about the square root of the number of ranks",
        More{.check = check_group_size}},
       {"radix", "radix", "radix", "--radix", "PARTS",
        "Parts at each cut of k-nomial trees and recursive multiplying; 0: 4",
        More{.check = check_radix}},
       {"schedule", "schedule", "schedule", "--schedule", "FILE|TABLE",
        "allreduce.schedule and the like: moves such as \"1: 0 -> 1 chunk 0 add; 2: 1 -> 0 all "
        "keep\", or a file with one per line"},
       {"program"},
       {"left_ring", "left_ring", "left-ring", "--left-ring", "",
        "Rings send to the left neighbour, and rank n starts with chunk n-1"}});
  add(rows, Section::none, {{"platform"}, {"every_wait"}});
  add(rows, Section::messages,
      {{"transport", "transport", "transport", "-t,--transport", transport_names("|"),
        fmt::format(
            "Between processes over {}, between threads of one process, or {} in virtual time",
            transport_names(" or ", &Transport::processes),
            transport_names(" or ", &Transport::virtual_time)),
        More{.choices = all_transports}},
       {"send_mode", "mode", "mode", "--send-mode", "buffered|rendezvous",
        "buffered: a send ends when its memory may be reused; rendezvous: when its receive is "
        "posted"},
       {"eager_limit", "eager_limit", "", "--eager-limit", "SIZE",
        "With rendezvous: messages up to this size are still sent at once",
        More{.unit = Unit::bytes}},
       {"delays_us", "delays_ms", "", "--delay", "RANK=US",
        "Delay a rank by so many microseconds before each message; may be repeated",
        More{.lesson_unit = 1000, .check = check_delays}}});
}

void add_network(std::vector<JobField>& rows) {
  add(rows, Section::network,
      {{"topology", "topology", "topology", "--topology", "TOPOLOGY|FILE",
        "The links between ranks, also in another size or speed (torus-2d@64, ring@2x); by default "
        "each pair of ranks has a link of its own",
        More{.check = check_topology_of}},
       {"links", "links", "links", "--links", "A:B=SIZE/s,...",
        "Changed links of the topology: 0:1=50GB/s between ranks 0 and 1 (added where there is "
        "none), 0:1=cut, socket0:socket1=5GB/s"},
       {"placement", "placement", "placement", "--placement", "PLACE,...",
        "By rank, its place in the topology: with 0,1,4,5,2,3,6,7 rank 2 is where the topology has "
        "rank 4"},
       {"alpha_s", "alpha", "alpha", "--alpha", "TIME", "Latency of a message (850ns, 5us)",
        More{.unit = Unit::short_time}},
       {"bandwidth", "bandwidth", "bandwidth", "--bandwidth", "SIZE/s",
        "Bandwidth of each link: 10GB/s, or 400Gb/s in bits; beta is 1/bandwidth",
        More{.unit = Unit::bandwidth}},
       {"gamma_s", "gamma", "gamma", "--gamma", "TIME", "Time to reduce one byte (0.05ns)",
        More{.unit = Unit::short_time}},
       {"ports", "ports", "ports", "--ports", "full|half|none",
        "A rank carries one message out and one in, one in all, or any number",
        More{.choices = port_names}},
       {"ghost", "ghost", "ghost", "--ghost", "",
        "Sizes only: no data is allocated, moved or checked", More{.check = check_simulated}},
       {"jitter", "jitter", "jitter", "--jitter", "PART",
        "Messages and computations take up to this part longer, at random (see --seed; 0.1: 10 %)",
        More{.unit = Unit::number}},
       {"slow_ranks", "slow", "slow", "--slow", "RANK=TIMES,...",
        "2=10: rank 2 computes and reduces ten times slower"},
       {"failures", "fail", "fail", "--fail", "WHAT@TIME,...",
        "rank2@5ms: rank 2 fails at 5 ms; link3@1ms: link 3 of the topology fails"}});
}

void add_running(std::vector<JobField>& rows) {
  add(rows, Section::running,
      {{"iterations", "iterations", "", "--iterations", "TIMES",
        "Timed repetitions; the last one is recorded", More{.check = check_repetitions}},
       {"warmup", "", "", "--warmup", "TIMES", "Repetitions before the timed ones",
        More{.check = check_repetitions}},
       {"timeout_s", "timeout", "timeout", "--timeout", "SECONDS",
        "Give up after this many seconds (or 500ms); in simulated runs, after this long without a "
        "message",
        More{.unit = Unit::seconds, .check = check_timeout}},
       {"check", "check", "", "--no-check", "",
        "Do not compare the result with the serial oracle"}});
  add(rows, Section::recording,
      {{"trace", "", "trace", "--trace", "off|light|full",
        "The recorded data: nothing, events, or events with the contents of buffers"}});
  add(rows, Section::none, {{"trace_every"}});
}

}  // namespace

std::span<const JobField> job_fields() {
  static const std::vector<JobField> kRows = [] {
    std::vector<JobField> rows;
    add_data_and_messages(rows);
    add_network(rows);
    add_running(rows);
    return rows;
  }();
  return kRows;
}

const JobField* find_job_field(std::string_view JobField::*vocabulary, std::string_view name) {
  if (name.empty()) return nullptr;
  const auto found = ranges::find(job_fields(), name, vocabulary);
  return found == job_fields().end() ? nullptr : &*found;
}

const JobField& job_field(std::string_view key) {
  const JobField* const found = find_job_field(&JobField::key, key);
  if (found == nullptr) throw std::logic_error("no such field of a job");
  return *found;
}

void check_fields(const JobSpec& spec) {
  for (const JobField& field : job_fields())
    if (field.check != nullptr) field.check(spec);
}

void check_delay(double us) {
  if (!(us >= 0 && us <= kLongestDelay))
    throw UserError(fmt::format("a delay must be 0 to 60,000,000 µs, not {}", us));
}

std::string network_text(const JobSpec& spec) {
  if (!spec.is_simulated()) return {};
  if (spec.network.topology.empty())
    return fmt::format("simulated, {} and {}", microseconds_text(spec.network.alpha_s * 1e6),
                       bandwidth_text(spec.network.bandwidth));
  const std::string name = spec.network.topology.substr(spec.network.topology.rfind('/') + 1);
  return fmt::format("simulated on {}{}{}", name, spec.network.links.empty() ? "" : ", ",
                     spec.network.links);
}

void forget_network(JobSpec& spec) { spec.network = {}; }

namespace {

template <class Values>
std::vector<std::string> texts_of(const Values& values) {
  std::vector<std::string> texts;
  for (const auto value : values) texts.emplace_back(to_string(value));
  return texts;
}

std::vector<std::string> names_of(DType) { return texts_of(kAllDTypes); }
std::vector<std::string> names_of(ReduceOp) { return texts_of(kAllReduceOps); }
std::vector<std::string> names_of(SendMode) {
  return texts_of(std::vector{SendMode::buffered, SendMode::rendezvous});
}
// Omits `given`, which comes with its values.
std::vector<std::string> names_of(InputPattern) {
  using enum InputPattern;
  return texts_of(std::vector{exact, index, rank, real});
}
std::vector<std::string> names_of(TraceLevel) {
  return texts_of(std::vector{TraceLevel::off, TraceLevel::light, TraceLevel::full});
}

[[noreturn]] void refuse_word(std::string_view text, std::string_view what,
                              const std::vector<std::string>& words) {
  throw UserError(fmt::format("{}: '{}' is none of {}{}", what, text, fmt::join(words, ", "),
                              nearest_hint(text, words)));
}

template <class T>
T whole(std::string_view text, std::string_view what) {
  T value{};
  const auto* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || rest != end || error == std::errc::invalid_argument)
    throw UserError(fmt::format("{}: '{}' is not a whole number{}", what, text,
                                std::is_unsigned_v<T> ? " from 0 on" : ""));
  if (error != std::errc{})
    throw UserError(fmt::format("{}: {} is out of range; it goes from {} to {}", what, text,
                                std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  return value;
}

double seconds(std::string_view text, std::string_view what) {
  double value = 0;
  const auto* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (error != std::errc{} || (!unit.empty() && unit != "s" && unit != "ms"))
    throw UserError(
        fmt::format("{}: '{}' is no time; write seconds (10, 0.5) or 500ms", what, text));
  return unit == "ms" ? value * 1e-3 : value;
}

double number(std::string_view text, std::string_view what) {
  const auto value = as_number<double>(text);
  if (!value) throw UserError(fmt::format("{}: '{}' is no number", what, text));
  return *value;
}

std::vector<Count> extents(std::string_view text, std::string_view what) {
  std::vector<Count> out;
  for (const std::string_view part : split_at(text, "x")) {
    out.push_back(whole<Count>(part, what));
    if (out.back() < 0)
      throw UserError(
          fmt::format("{}: {} is out of range; an extent is 0 or more", what, out.back()));
  }
  return out;
}

bool switched(bool now, std::string_view text, std::string_view what) {
  if (text == "toggle") return !now;
  if (text != "on" && text != "off")
    throw UserError(fmt::format("{}: say on, off or toggle, not \"{}\"", what, text));
  return text == "on";
}

class Reader {
 public:
  Reader(const JobField& field, std::string_view text, std::string_view what)
      : field_(field), text_(text), what_(what) {}

  void read(bool& into) const { into = switched(into, text_, what_); }
  void read(int& into) const { into = whole<int>(text_, what_); }
  void read(std::uint64_t& into) const {
    into = field_.unit == JobField::Unit::bytes ? parse_size(text_, what_)
                                                : whole<std::uint64_t>(text_, what_);
  }
  void read(double& into) const {
    switch (field_.unit) {
      case JobField::Unit::short_time: into = parse_seconds(text_, what_); break;
      case JobField::Unit::bandwidth: into = parse_bandwidth(text_, what_); break;
      case JobField::Unit::number: into = number(text_, what_); break;
      default: into = seconds(text_, what_);
    }
  }
  void read(std::string& into) const {
    const auto words = choices_of(field_);
    if (!words.empty() && ranges::find(words, text_) == words.end())
      refuse_word(text_, what_, words);
    into = text_;
  }
  void read(std::vector<Count>& into) const { into = extents(text_, what_); }
  template <class E>
    requires std::is_enum_v<E>
  void read(E& into) const {
    if (!parse_name(text_, into)) refuse_word(text_, what_, names_of(E{}));
  }
  // A delay cannot be read without its rank.
  void read(std::vector<double>&) const {
    throw UserError(fmt::format("{}: say which rank is delayed", what_));
  }

 private:
  const JobField& field_;
  std::string_view text_, what_;
};

std::string text_of(bool value) { return value ? "on" : "off"; }
std::string text_of(const std::string& value) { return value; }
std::string text_of(const std::vector<Count>& value) {
  return fmt::format("{}", fmt::join(value, "x"));
}
std::string text_of(const std::vector<double>& value) {
  return fmt::format("{}", fmt::join(value, ","));
}
std::string text_of(const std::vector<std::vector<double>>& value) { return values_text(value); }
template <class T>
  requires std::is_arithmetic_v<T>
std::string text_of(T value) {
  return fmt::format("{}", value);
}
template <class E>
  requires std::is_enum_v<E>
std::string text_of(E value) {
  return std::string(to_string(value));
}

}  // namespace

std::vector<std::string> choices_of(const JobField& field) {
  if (field.choices != nullptr) return field.choices();
  return with_value(JobSpec(), field.place, []<class T>(const T&) {
    if constexpr (std::is_enum_v<T>) return names_of(T{});
    else return std::vector<std::string>{};
  });
}

void set_field(JobSpec& spec, const JobField& field, std::string_view text, std::string_view what) {
  const Reader reader(field, text, what);
  with_value(spec, field.place, [&]<class T>(T& value) {
    if constexpr (std::is_same_v<T, std::vector<std::vector<double>>>) give_values(spec, text);
    else reader.read(value);
  });
}

std::string field_text(const JobSpec& spec, const JobField& field) {
  return with_value(spec, field.place, [&]<class T>(const T& value) {
    if constexpr (std::is_same_v<T, double>) {
      if (field.unit == JobField::Unit::short_time) return exact_seconds_text(value);
      if (field.unit == JobField::Unit::bandwidth) return exact_bandwidth_text(value);
    }
    return text_of(value);
  });
}

}  // namespace rankscope
