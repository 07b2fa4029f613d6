#include "cli/job_options.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "cli/sizes.h"
#include "cli/vocabulary.h"
#include "engine/core/base/error.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/given_values.h"
#include "engine/run/job/transports.h"

namespace rankscope::cli {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 50;

int small_number(const std::string& text, std::string_view what) {
  constexpr int kMost = std::numeric_limits<int>::max();
  return static_cast<int>(parse_integer(text, what, -kMost, kMost));
}

std::vector<Count> shape_of(const JobOptions& options, DType dtype) {
  if (!options.shape.empty()) return parse_shape(options.shape, "--shape");
  if (!options.count.empty()) return {parse_integer(options.count, "--count", 0, kMostElements)};
  if (options.bytes.empty()) return JobSpec{}.shape;
  const auto bytes = parse_size(options.bytes, "--bytes");
  const auto size = dtype_size(dtype);
  if (bytes % size != 0)
    throw UserError(fmt::format("--bytes: {} bytes are no whole number of {} elements of {} bytes",
                                bytes, to_string(dtype), size));
  return {static_cast<Count>(bytes / size)};
}

double seconds_of(const std::string& text, std::string_view what) {
  double seconds = 0;
  const auto* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, seconds, std::chars_format::fixed);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (error != std::errc{} || (!unit.empty() && unit != "s" && unit != "ms"))
    throw UserError(
        fmt::format("{}: '{}' is no time; write seconds (10, 0.5) or 500ms", what, text));
  return unit == "ms" ? seconds * 1e-3 : seconds;
}

// A table is known by its arrows.
std::string schedule_text(const std::string& schedule) {
  if (schedule.empty() || schedule.find("->") != std::string::npos) return schedule;
  constexpr std::size_t kMost = 64 << 20;
  std::ifstream file(schedule, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file || text.size() > kMost)
    throw UserError(fmt::format(
        "--schedule: '{}' is neither a file that can be read nor a table like \"1: 0 -> 1 chunk 0 "
        "add\"",
        schedule));
  return text;
}

constexpr const char* kData = "Data";
constexpr const char* kAlgorithm = "Algorithm";
constexpr const char* kMessages = "Messages";
constexpr const char* kHowItRuns = "Running and measuring";

}  // namespace

void JobOptions::add_algorithm(OptionList app, bool required) {
  const auto option = app.add_option("ALGORITHM", algorithm, "What to run; see `rankscope list`")
                          ->type_name("ALGORITHM");
  if (required) option->required();
  else option->capture_default_str();
}

void JobOptions::add_job(OptionList app) {
  const auto add = [&app](const char* names, std::string& value, const char* placeholder,
                          const char* section, const char* description) {
    const auto option =
        app.add_option(names, value, description)->type_name(placeholder)->group(section);
    if (!value.empty()) option->default_str(value);
    return option;
  };
  add("-n,--ranks", ranks, "N", kData, "Number of ranks");
  const auto by_count = add("-c,--count", count, "ELEMENTS", kData, "Elements of a rank's input");
  by_count->default_str("16");
  const auto by_bytes =
      add("-b,--bytes", bytes, "SIZE", kData, "Size of a rank's input, such as 32MiB");
  const auto by_shape =
      add("--shape", shape, "AxBxC", kData, "Shape of a rank's input, such as 2x8x4 (alltoall)");
  by_bytes->excludes(by_count);
  by_shape->excludes(by_count)->excludes(by_bytes);
  add("--dtype", dtype, "DTYPE", kData, "Type of an element");
  add("--op", op, "OP", kData, "How values are combined");
  add("--root", root, "RANK", kData, "Root of broadcast, reduce, gather and scatter");
  const auto by_pattern =
      add("--input", input, "exact|index|rank|real", kData,
          "Values: small exact integers; the element's index; rank + 1; reals in [-1, 1)");
  add("--values", values, "V,V;V,V", kData,
      "Values of your own: 5,3,7,2 (one a rank) or 0,10;1,11;2,12 (rank by rank, each element)")
      ->excludes(by_pattern);
  add("--seed", seed, "NUMBER", kData, "Of the values");
  add("--scatter-dim", scatter_dim, "DIM", kAlgorithm, "alltoall: the dimension that is cut");
  add("--gather-dim", gather_dim, "DIM", kAlgorithm, "alltoall: the dimension that grows");
  add("--segment", segment, "SIZE", kAlgorithm,
      "Segments of pipelined algorithms; 0: the algorithm's own choice");
  add("--group", group, "RANKS", kAlgorithm,
      "Group size of hierarchical algorithms; 0: about the square root of the number of ranks");
  add("--schedule", schedule, "FILE|TABLE", kAlgorithm,
      "allreduce.schedule and the like: moves such as \"1: 0 -> 1 chunk 0 add; 2: 1 -> 0 all "
      "keep\", or a file with one a line");
  app.add_flag("--left-ring", left_ring,
               "Rings send to the left neighbour, and rank n starts with chunk n-1")
      ->group(kAlgorithm);
}

void JobOptions::add_transport(OptionList app) {
  app.add_option("-t,--transport", transport,
                 fmt::format("Between processes over {}, or between threads of one process",
                             transport_names(" or ", &Transport::processes)))
      ->type_name(transport_names("|"))
      ->capture_default_str()
      ->group(kMessages);
  app.add_option("--send-mode", send_mode,
                 "A send ends when its memory may be reused, or when its receive is posted")
      ->type_name("buffered|rendezvous")
      ->capture_default_str()
      ->group(kMessages);
  app.add_option("--eager-limit", eager_limit,
                 "With rendezvous: messages up to this size are sent at once all the same")
      ->type_name("SIZE")
      ->capture_default_str()
      ->group(kMessages);
  app.add_option("--delay", delays,
                 "Delay a rank by so many microseconds before each message; may be repeated")
      ->type_name("RANK=US")
      ->allow_extra_args(false)
      ->group(kMessages);
}

void JobOptions::add_measuring(OptionList app) {
  app.add_option("--iterations", iterations, "Timed repetitions; the last one is recorded")
      ->type_name("TIMES")
      ->capture_default_str()
      ->group(kHowItRuns);
  app.add_option("--warmup", warmup, "Repetitions before the timed ones")
      ->type_name("TIMES")
      ->capture_default_str()
      ->group(kHowItRuns);
  add_timeout(app);
  app.add_flag("--no-check", no_check, "Do not compare the result with the serial oracle")
      ->group(kHowItRuns);
}

void JobOptions::add_timeout(OptionList app) {
  app.add_option("--timeout", timeout, "Give up after so many seconds (or 500ms)")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->group(kHowItRuns);
}

JobSpec JobOptions::spec() const {
  JobSpec spec;
  spec.algorithm = algorithm;
  spec.world_size = small_number(ranks, "--ranks");
  spec.dtype = dtype_named(dtype);
  spec.shape = shape_of(*this, spec.dtype);
  spec.op = reduce_op_named(op);
  spec.root = small_number(root, "--root");
  spec.scatter_dim = small_number(scatter_dim, "--scatter-dim");
  spec.gather_dim = small_number(gather_dim, "--gather-dim");
  spec.segment_bytes = parse_size(segment, "--segment");
  spec.group_size = small_number(group, "--group");
  spec.left_ring = left_ring;
  spec.schedule = schedule_text(schedule);
  spec.transport = transport_named(transport);
  spec.mode = send_mode_named(send_mode);
  spec.eager_limit = parse_size(eager_limit, "--eager-limit");
  spec.input = input_pattern_named(input);
  spec.seed = static_cast<std::uint64_t>(
      parse_integer(seed, "--seed", 0, std::numeric_limits<std::int64_t>::max()));
  if (!values.empty()) {
    const auto asked = spec.shape;
    give_values(spec, values);
    if (!count.empty() || !bytes.empty() || !shape.empty()) spec.shape = asked;
  }
  spec.check = !no_check;
  spec.trace = trace_level_named(trace);
  spec.warmup = small_number(warmup, "--warmup");
  spec.iterations = small_number(iterations, "--iterations");
  spec.timeout_s = seconds_of(timeout, "--timeout");
  spec.validate();
  spec.delays_us = parse_delays(delays, "--delay", spec.world_size);
  return resolve_auto(std::move(spec));  // now, so that the trace and the report name the choice
}

}  // namespace rankscope::cli
