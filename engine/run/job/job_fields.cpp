// The rows of a job's fields, and their ranges.
#include "engine/run/job/job_fields.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/run/job/network_fields.h"
#include "transports/factory.h"

namespace rankscope {
namespace {

constexpr int kMaxWorldSize = 1024, kMaxSimulated = 1 << 20;
constexpr double kLongestTimeout = 1e8;  // seconds: three years; JSON has no infinity
constexpr double kLongestDelay = 60e6;   // microseconds

void check_world_size(const JobSpec& spec) {
  const int most = spec.is_simulated() ? kMaxSimulated : kMaxWorldSize;
  if (spec.world_size < 1 || spec.world_size > most)
    throw UserError(fmt::format("the world size must be 1 to {}, not {}", most, spec.world_size));
}

void check_root(const JobSpec& spec) {
  if (spec.root < 0 || spec.root >= spec.world_size)
    throw UserError(fmt::format("root {} does not exist in a world of {} ranks (0 to {})",
                                spec.root, spec.world_size, spec.world_size - 1));
}

void check_group_size(const JobSpec& spec) {
  if (spec.group_size < 0 || spec.group_size > spec.world_size)
    throw UserError(fmt::format("a group size must be 1 to {} (0: chosen), not {}", spec.world_size,
                                spec.group_size));
}

void check_radix(const JobSpec& spec) {
  if (spec.radix < 0 || spec.radix == 1 || spec.radix > kMaxWorldSize)
    throw UserError(
        fmt::format("a radix must be 2 to {} (0: 4), not {}", kMaxWorldSize, spec.radix));
}

void check_delays(const JobSpec& spec) {
  if (static_cast<int>(spec.delays_us.size()) > spec.world_size)
    throw UserError(fmt::format("delays are given for {} ranks, but there are {}",
                                spec.delays_us.size(), spec.world_size));
  std::ranges::for_each(spec.delays_us, check_delay);
}

void check_repetitions(const JobSpec& spec) {
  if (spec.warmup < 0 || spec.iterations < 1)
    throw UserError(
        fmt::format("iterations must be 1 or more and warm-ups 0 or more, not {} and {}",
                    spec.iterations, spec.warmup));
}

void check_timeout(const JobSpec& spec) {
  if (!(spec.timeout_s > 0 && spec.timeout_s <= kLongestTimeout))
    throw UserError(fmt::format("the time-out must be more than 0 and up to {} s, not {} s",
                                kLongestTimeout, spec.timeout_s));
}

using Section = JobField::Section;
using Unit = JobField::Unit;

void add_data(std::vector<JobField>& rows) {
  const auto section = Section::data;
  rows.push_back({.key = "world_size",
                  .lesson = "ranks",
                  .word = "ranks",
                  .option = "-n,--ranks",
                  .section = section,
                  .placeholder = "N",
                  .help = "Number of ranks",
                  .check = check_world_size});
  rows.push_back({.key = "shape",
                  .lesson = "shape",
                  .word = "shape",
                  .option = "--shape",
                  .section = section,
                  .placeholder = "AxBxC",
                  .help = "Shape of a rank's input, such as 2x8x4 (alltoall)"});
  rows.push_back({.key = "dtype",
                  .lesson = "dtype",
                  .word = "dtype",
                  .option = "--dtype",
                  .section = section,
                  .placeholder = "DTYPE",
                  .help = "Type of an element"});
  rows.push_back({.key = "op",
                  .lesson = "op",
                  .word = "op",
                  .option = "--op",
                  .section = section,
                  .placeholder = "OP",
                  .help = "How values are combined"});
  rows.push_back({.key = "root",
                  .lesson = "root",
                  .word = "root",
                  .option = "--root",
                  .section = section,
                  .placeholder = "RANK",
                  .help = "Root of broadcast, reduce, gather and scatter",
                  .check = check_root});
}

void add_values(std::vector<JobField>& rows) {
  const auto section = Section::data;
  rows.push_back({.key = "input",
                  .lesson = "input",
                  .word = "input",
                  .option = "--input",
                  .section = section,
                  .placeholder = "exact|index|rank|real",
                  .help = "Values: small exact integers; the element's index; rank + 1; reals in "
                          "[-1, 1)"});
  rows.push_back({.key = "values",
                  .word = "values",
                  .option = "--values",
                  .section = section,
                  .placeholder = "V,V;V,V",
                  .help = "Values of your own: 5,3,7,2 (one a rank) or 0,10;1,11;2,12 (rank by "
                          "rank, each element)"});
  rows.push_back({.key = "seed",
                  .lesson = "seed",
                  .word = "seed",
                  .option = "--seed",
                  .section = section,
                  .placeholder = "NUMBER",
                  .help = "Of the values"});
}

void add_algorithm(std::vector<JobField>& rows) {
  const auto section = Section::algorithm;
  rows.push_back({.key = "algorithm",
                  .lesson = "algorithm",
                  .word = "algorithm",
                  .option = "ALGORITHM",
                  .placeholder = "ALGORITHM",
                  .help = "What to run; see `rankscope list`"});
  rows.push_back({.key = "scatter_dim",
                  .lesson = "scatter_dim",
                  .word = "scatter-dim",
                  .option = "--scatter-dim",
                  .section = section,
                  .placeholder = "DIM",
                  .help = "alltoall: the dimension that is cut"});
  rows.push_back({.key = "gather_dim",
                  .lesson = "gather_dim",
                  .word = "gather-dim",
                  .option = "--gather-dim",
                  .section = section,
                  .placeholder = "DIM",
                  .help = "alltoall: the dimension that grows"});
  rows.push_back({.key = "segment_bytes",
                  .lesson = "segment",
                  .word = "segment",
                  .option = "--segment",
                  .section = section,
                  .placeholder = "SIZE",
                  .help = "Segments of pipelined algorithms; 0: the algorithm's own choice",
                  .unit = Unit::bytes});
  rows.push_back({.key = "group_size",
                  .lesson = "group",
                  .word = "group",
                  .option = "--group",
                  .section = section,
                  .placeholder = "RANKS",
                  .help = "Group size of hierarchical algorithms; 0: about the square root of the "
                          "number of ranks",
                  .check = check_group_size});
  rows.push_back({.key = "radix",
                  .lesson = "radix",
                  .word = "radix",
                  .option = "--radix",
                  .section = section,
                  .placeholder = "PARTS",
                  .help = "Parts at each cut of k-nomial trees and recursive multiplying; 0: 4",
                  .check = check_radix});
}

void add_programs(std::vector<JobField>& rows) {
  const auto section = Section::algorithm;
  rows.push_back({.key = "schedule",
                  .lesson = "schedule",
                  .word = "schedule",
                  .option = "--schedule",
                  .section = section,
                  .placeholder = "FILE|TABLE",
                  .help = "allreduce.schedule and the like: moves such as \"1: 0 -> 1 chunk 0 add; "
                          "2: 1 -> 0 all keep\", or a file with one a line"});
  rows.push_back({.key = "program", .section = section});
  rows.push_back({.key = "left_ring",
                  .lesson = "left_ring",
                  .word = "left-ring",
                  .option = "--left-ring",
                  .section = section,
                  .help = "Rings send to the left neighbour, and rank n starts with chunk n-1"});
  rows.push_back({.key = "platform"});
  rows.push_back({.key = "every_wait"});
}

void add_messages(std::vector<JobField>& rows) {
  const auto section = Section::messages;
  rows.push_back(
      {.key = "transport",
       .lesson = "transport",
       .word = "transport",
       .option = "-t,--transport",
       .section = section,
       .placeholder = transport_names("|"),
       .help = fmt::format("Between processes over {}, between threads of one process, or {} in "
                           "virtual time",
                           transport_names(" or ", &Transport::processes),
                           transport_names(" or ", &Transport::virtual_time)),
       .choices = [] { return transport_list(); }});
  rows.push_back({.key = "send_mode",
                  .lesson = "mode",
                  .word = "mode",
                  .option = "--send-mode",
                  .section = section,
                  .placeholder = "buffered|rendezvous",
                  .help = "A send ends when its memory may be reused, or when its receive is "
                          "posted"});
  rows.push_back({.key = "eager_limit",
                  .lesson = "eager_limit",
                  .option = "--eager-limit",
                  .section = section,
                  .placeholder = "SIZE",
                  .help = "With rendezvous: messages up to this size are sent at once all the same",
                  .unit = Unit::bytes});
  rows.push_back({.key = "delays_us",
                  .lesson = "delays_ms",
                  .option = "--delay",
                  .section = section,
                  .placeholder = "RANK=US",
                  .help = "Delay a rank by so many microseconds before each message; may be "
                          "repeated",
                  .lesson_unit = 1000,
                  .check = check_delays});
}

void add_running(std::vector<JobField>& rows) {
  const auto section = Section::running;
  rows.push_back({.key = "iterations",
                  .lesson = "iterations",
                  .option = "--iterations",
                  .section = section,
                  .placeholder = "TIMES",
                  .help = "Timed repetitions; the last one is recorded",
                  .check = check_repetitions});
  rows.push_back({.key = "warmup",
                  .option = "--warmup",
                  .section = section,
                  .placeholder = "TIMES",
                  .help = "Repetitions before the timed ones",
                  .check = check_repetitions});
  rows.push_back(
      {.key = "timeout_s",
       .lesson = "timeout",
       .word = "timeout",
       .option = "--timeout",
       .section = section,
       .placeholder = "SECONDS",
       .help =
           "Give up after this many seconds (or 500ms); simulated: after so many without a message",
       .unit = Unit::seconds,
       .check = check_timeout});
  rows.push_back({.key = "check",
                  .lesson = "check",
                  .option = "--no-check",
                  .section = section,
                  .help = "Do not compare the result with the serial oracle"});
  rows.push_back({.key = "trace",
                  .word = "trace",
                  .option = "--trace",
                  .section = Section::recording,
                  .placeholder = "off|light|full",
                  .help = "What is recorded: nothing, events, or events with the contents of "
                          "buffers"});
  rows.push_back({.key = "trace_every"});
}

}  // namespace

std::span<const JobField> job_fields() {
  static const std::vector<JobField> kRows = [] {
    std::vector<JobField> rows;
    add_data(rows);
    add_values(rows);
    add_algorithm(rows);
    add_programs(rows);
    add_messages(rows);
    add_network_fields(rows);
    add_running(rows);
    for (JobField& row : rows) row.place = find_job_member(row.key)->place;
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

}  // namespace rankscope
