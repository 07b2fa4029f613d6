// The rows of a job's fields: complete, the same in all vocabularies, and with one range each.
#include "engine/run/job/job_fields.h"

#include <random>
#include <set>

#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/run/job_json.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

/// Any values, whether or not they can run together.
class AnySpec {
 public:
  explicit AnySpec(unsigned seed) : random_(seed) {}

  JobSpec make() {
    JobSpec spec;
    for (const JobField& field : job_fields())
      with_value(spec, field.place, [&](auto& value) { fill(value, field); });
    return spec;
  }

 private:
  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

  void fill(bool& into, const JobField&) { into = below(2) == 1; }
  void fill(int& into, const JobField&) { into = below(1 << 20) - (1 << 19); }
  void fill(std::uint64_t& into, const JobField& field) {
    const int least = field.unit == JobField::Unit::bytes ? 2 : 0;  // sizes end below 8 EiB
    into = random_() >> (least + below(60 - least));
  }
  void fill(double& into, const JobField&) { into = below(1 << 20) / 64.0; }
  void fill(std::string& into, const JobField& field) {
    const auto words = choices_of(field);
    into = words.empty() ? "w" + std::to_string(below(100))
                         : words[static_cast<std::size_t>(below(static_cast<int>(words.size())))];
  }
  template <class E>
    requires std::is_enum_v<E>
  void fill(E& into, const JobField& field) {
    const auto words = choices_of(field);
    CHECK(parse_name(words[static_cast<std::size_t>(below(static_cast<int>(words.size())))], into));
  }
  template <class T>
  void fill(std::vector<T>& into, const JobField& field) {
    into.resize(static_cast<std::size_t>(1 + below(4)));
    for (T& one : into) fill(one, field);
  }
  void fill(Count& into, const JobField&) { into = below(1 << 20); }

  std::mt19937_64 random_;
};

std::string refusal(const JobSpec& spec) {
  try {
    validate(spec);
  } catch (const UserError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("job fields: every name stands for one field") {
  for (const auto vocabulary :
       {&JobField::key, &JobField::lesson, &JobField::word, &JobField::option}) {
    std::set<std::string_view> names;
    for (const JobField& field : job_fields()) {
      const std::string_view name = field.*vocabulary;
      CAPTURE(field.key, name);
      if (name.empty()) continue;
      CHECK(names.insert(name).second);
      CHECK(find_job_field(vocabulary, name) == &field);
    }
  }
  for (const JobField& field : job_fields()) {
    CAPTURE(field.key);
    CHECK_FALSE(field.key.empty());
    CHECK(field.option.empty() == field.help.empty());
  }
}

TEST_CASE("job fields: the names of all vocabularies stay") {
  const auto missing = [](std::string_view JobField::*vocabulary,
                          std::set<std::string_view> names) {
    for (const JobField& field : job_fields()) names.erase(field.*vocabulary);
    return names;
  };
  CHECK(missing(&JobField::key,
                {"algorithm",  "check",      "delays_us",     "dtype",     "eager_limit",
                 "every_wait", "gather_dim", "group_size",    "input",     "iterations",
                 "left_ring",  "op",         "platform",      "root",      "scatter_dim",
                 "schedule",   "seed",       "segment_bytes", "send_mode", "shape",
                 "timeout_s",  "trace",      "trace_every",   "transport", "values",
                 "warmup",     "world_size"})
            .empty());
  CHECK(missing(&JobField::lesson,
                {"algorithm", "check",   "delays_ms",   "dtype",     "eager_limit", "gather_dim",
                 "group",     "input",   "iterations",  "left_ring", "mode",        "op",
                 "ranks",     "root",    "scatter_dim", "schedule",  "seed",        "segment",
                 "shape",     "timeout", "transport"})
            .empty());
  CHECK(missing(&JobField::word, {"algorithm", "dtype", "gather-dim", "group", "input", "left-ring",
                                  "mode", "op", "ranks", "root", "scatter-dim", "schedule", "seed",
                                  "segment", "shape", "timeout", "trace", "transport", "values"})
            .empty());
}

TEST_CASE("job fields: JSON gives back any job") {
  AnySpec any(7);
  for (int k = 0; k < 300; ++k) {
    const JobSpec spec = any.make();
    const auto text = to_json(spec);
    CAPTURE(text);
    const auto json = parse_json(text);
    for (const JobMember& member : job_members())
      if (!member.sparse) CHECK(json.contains(std::string(member.key)));
    CHECK(job_from_json(text) == spec);
  }
}

TEST_CASE("job fields: what a field's text says is read again") {
  AnySpec any(8);
  for (int k = 0; k < 300; ++k) {
    const JobSpec spec = any.make();
    for (const JobField& field : job_fields()) {
      // Values come with an input and a shape; a delay's text has a rank.
      if (field.key == "values" || field.key == "delays_us") continue;
      JobSpec read;
      const auto text = field_text(spec, field);
      CAPTURE(field.key, text);
      set_field(read, field, text, field.key);
      CHECK(field_text(read, field) == text);
    }
  }
}

TEST_CASE("job fields: units of text") {
  JobSpec spec;
  set_field(spec, job_field("timeout_s"), "500ms", "timeout");
  CHECK(spec.recording.timeout_s == 0.5);
  set_field(spec, job_field("segment_bytes"), "64KiB", "segment");
  CHECK(spec.call.segment_bytes == 65536);
  set_field(spec, job_field("left_ring"), "toggle", "left-ring");
  CHECK(spec.call.left_ring);
  set_field(spec, job_field("shape"), "2x8x4", "--shape");
  CHECK(spec.call.shape == std::vector<Count>{2, 8, 4});
}

TEST_CASE("job fields: text that is none is refused, and what may be said is said") {
  const auto says = [](std::string_view key, std::string_view text) {
    JobSpec spec;
    try {
      set_field(spec, job_field(key), text, "--it");
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(says("world_size", "many") == "--it: 'many' is not a whole number");
  CHECK(says("world_size", "99999999999").starts_with("--it: 99999999999 is out of range"));
  CHECK(says("seed", "-1") == "--it: '-1' is not a whole number from 0 on");
  CHECK(says("shape", "2x").starts_with("--it: '' is not"));
  CHECK(says("shape", "2x-1").starts_with("--it: -1 is out of range"));
  CHECK(says("timeout_s", "soon").starts_with("--it: 'soon' is no time"));
  CHECK(says("dtype", "float31").ends_with("did you mean 'float32' or 'float64'?"));
  CHECK(says("transport", "udp") == "--it: 'udp' is none of " + transport_names(", "));
  CHECK(says("left_ring", "maybe").starts_with("--it: say on, off or toggle"));
}

TEST_CASE("job fields: a range is the same whoever sets the field") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"world_size": 1025})", "the world size must be 1 to 1024, not 1025"},
      {R"({"root": 4})", "root 4 does not exist in a world of 4 ranks (0 to 3)"},
      {R"({"group_size": 5})", "a group size must be 1 to 4 (0: chosen), not 5"},
      {R"({"delays_us": [60000001]})", "a delay must be 0 to 60,000,000 µs, not 60000001"},
      {R"({"delays_us": [1, 2, 3, 4, 5]})", "delays are given for 5 ranks, but there are 4"},
      {R"({"iterations": 0})", "iterations must be 1 or more and warm-ups 0 or more, not 0 and 0"},
      {R"({"timeout_s": 0})", "the time-out must be more than 0 and up to 100000000 s, not 0 s"}};
  for (const auto& [text, sentence] : cases) {
    CAPTURE(text);
    CHECK(refusal(job_from_json(text)) == sentence);
    JobSpec program = job_from_json(text);
    program.call.platform = "torch";
    CHECK(refusal(program) == sentence);
  }
  CHECK(refusal(job_from_json(R"({"delays_us": [60000000]})")).empty());
}
