// All kinds: whatever an answer file holds, grading ends with a verdict; and what is peculiar to those
// that need no run.
#include <memory>
#include <set>

#include "engine/toml/toml_source.h"
#include "tests/lessons/kind_bench.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using namespace test;
using nlohmann::json;
using State = Verdict::State;

std::vector<Question> one_of_each() {
  const auto make = &KindBench::question;
  return {
      make("number", {{"answer", 14}, {"unit", "ms"}}),
      make("vector", {{"answer", {1, 2, 3}}}),
      make("vector", {{"answer", {2, 8}}, {"shape", true}}),
      make("table",
           {{"rows", 2},
            {"columns",
             {{{"name", "x"}, {"answer", "=row"}}, {{"name", "a/b"}, {"answer", "yes"}}}}}),
      make("formula", {{"answer", "N-1"}, {"domain", json::array({json::array({"N", "2..16"})})}}),
      make("choice", {{"options", {{{"text", "this"}, {"right", true}}, {{"text", "that"}}}}}),
      make("choice", {{"multiple", true},
                      {"options",
                       {{{"text", "this"}, {"right", true}},
                        {{"text", "that"}},
                        {{"text", "{N} ranks"}, {"right", true}}}}}),
      make("order", {{"items", {"first", "second", "third"}}}),
      make("predict", {{"run", "ring"}, {"after", 1}}),
      make("fill", {{"run", "ring"}, {"after", 1}}),
      make("fill", {{"run", "ring"}, {"after", 1}, {"show", "contributions"}}),
      make("schedule",
           {{"collective", "allreduce"}, {"ranks", 3}, {"reference", "allreduce.ring"}}),
      make("bug", {{"run", "ring"},
                   {"ask", {"rank", "line"}},
                   {"right", {{{"rank", 1}, {"line", "recv_reduce"}}}}}),
      make("diagram", {{"collective", "alltoall"}, {"ranks", 3}}),
      make("speedup", {{"worlds", {1, 2}},
                       {"reference", "ranks,iterations\n1,90\n1,80\n1,85\n2,50\n2,60\n2,55\n"},
                       {"until", 0.97},
                       {"batch", 32},
                       {"pictures", 60000},
                       {"curve", true},
                       {"linear", true}}),
      make("written", {{"rubric", {{{"text", "why"}, {"points", 1}}}}, {"model", "so"}}),
  };
}

json nested(int levels) {
  json out = 1;
  for (int i = 0; i < levels; ++i) out = json::array({std::move(out)});
  return out;
}

std::vector<json> anything() {
  json wide = json::object();
  for (int i = 0; i < 20'000; ++i) wide["k" + std::to_string(i)] = i;
  return {
      true,
      false,
      0,
      -1,
      3.5,
      1e308,
      -1e308,
      std::int64_t{1} << 62,
      ~std::uint64_t{0},
      "x",
      "a",
      "b, a",
      "0",
      "-1",
      "1e999",
      "1/0",
      "((((((((((",
      std::string(100'000, '('),
      std::string(100'000, '9'),
      std::string(100'000, ';'),
      std::string(50'000, '\n') + "1",
      std::string("nul\0inside", 10),
      "\xff\xfe not UTF-8",
      "→→→",
      "%s%n",
      "{N} {=1/0} {",
      "1: 0 -> 1 chunk 0 add",
      "copy 0",
      "none",
      "rank 0: 1",
      "[[1,2],[3",
      "[[[[[[[[",
      "[[1]]",
      json::array({1, "a", nullptr, true, json::object(), json::array({json::array()})}),
      json::array({json::array({1, 2, 3}), json::array({1, 2, 3}), json::array({1, 2, 3})}),
      json::array({"\xff"}),
      json(std::vector<int>(200'000, 1)),
      json(std::vector<std::string>(50'000, "1")),
      json::object({{"", 1}}),
      json::object({{"x", 1}, {"a/b", json::object({{"y", 2}})}}),
      json::object({{"from", -1}, {"to", 1e300}, {"chunk", json::array({1})}}),
      json::object({{"rank", "1e9"}, {"line", 1e18}, {"round", nullptr}}),
      json::object({{"\xff", "\xff"}, {"from", "\xff"}, {"rank", "\xff"}}),
      json::array({json::object(
          {{"step", "\xff"}, {"from", 0}, {"to", 1}, {"slot", 1}, {"copy", json::array({2})}})}),
      wide,
      json::binary({1, 2, 3}),
      nested(31),
      nested(2000),
      nullptr,
      "",
      " ",
      json::array(),
      json::object()};
}

TEST_CASE("Whatever an answer is, it gets a verdict", "[lessons][kinds]") {
  KindBench bench({run_of("ring", {{"algorithm", "allreduce.ring"}, {"ranks", 3}, {"count", 3}})});
  const auto answers = anything();
  for (const Question& question : one_of_each()) {
    REQUIRE(question.kind != nullptr);
    const json key = bench.key(question, {{"N", 3}});
    for (std::size_t i = 0; i < answers.size(); ++i) {
      INFO(question.kind->name() << ", answer " << i);
      const Verdict got = bench.grade(question, answers[i], {{"N", 3}});
      CHECK(got.points >= 0);
      CHECK(got.points <= 1);
      CHECK(got.says.size() < 4000);
      if (blank(answers[i])) CHECK(got.state == State::unanswered);
      else if (got.state == State::malformed) CHECK(!got.says.empty());
      // An answer that was typed, or came from a form, can be shown, or fails with words for people.
      try {
        if (answers[i].is_string())
          question.kind->show(question, question.kind->parse(question, {0, {{"N", 3}}},
                                                             answers[i].get<std::string>()));
      } catch (const UserError& error) {
        CHECK(std::string(error.what()).size() < 200'000);
      }
    }
    if (question.kind->marked_by_hand()) continue;
    INFO(question.kind->name() << ": " << key);
    CHECK(bench.grade(question, key, {{"N", 3}}).state == State::right);
    const std::string shown = question.kind->show(question, key);
    INFO(shown);
    CHECK(bench.grade(question, shown, {{"N", 3}}).state == State::right);
    CHECK(bench.grade(question, question.kind->parse(question, {0, {{"N", 3}}}, shown), {{"N", 3}})
              .state == State::right);
    const AnswerForm form = question.kind->form(question, {0, {{"N", 3}}}, bench.runs);
    CHECK(!form.how.empty());
    CHECK(!form.fields.empty());
    if (form.rows) CHECK_NOTHROW(question.kind->parse(question, {}, form.example));
    for (const AnswerField& field : form.fields)
      if (!field.name.empty() && !form.rows) {
        INFO(field.name);
        if (key.is_structured()) CHECK(key.contains(json::json_pointer(field.name)));
      }
  }
}

TEST_CASE("A text that is a list is no written answer", "[lessons][kinds]") {
  KindBench bench;
  const Question question = one_of_each().back();
  CHECK(bench.grade(question, "Because.").state == State::by_hand);
  CHECK(bench.grade(question, json::array({"Because."})).state == State::malformed);
  CHECK(bench.grade(question, "  ").state == State::unanswered);
}

TEST_CASE("Choices by letter, by text, one or several", "[lessons][kinds]") {
  KindBench bench;
  const Values n{{"N", 3}};
  const Question one = one_of_each()[5], several = one_of_each()[6];
  for (const json& right :
       {json("a"), json("A."), json("(a)"), json("this"), json(json::array({"a"}))})
    CHECK(bench.grade(one, right, n).state == State::right);
  CHECK(bench.grade(one, "b", n).state == State::wrong);
  CHECK(bench.grade(one, "that", n).state == State::wrong);
  for (const json& bad : {json("c"), json("a, b"), json(json::array({"a", "b"})), json(1),
                          json(json::array({json::array({"a"})}))})
    CHECK(bench.grade(one, bad, n).state == State::malformed);
  CHECK(bench.grade(several, json::array({"c", "this"}), n).state == State::right);
  CHECK(bench.grade(several, json::array({"3 ranks", "a"}), n).state == State::right);
  CHECK(bench.grade(several, "a", n).points == Approx(1.0 / 3));
  CHECK(has(bench.grade(several, "a", n).says, "a is right so far; something is missing"));
  CHECK(bench.grade(several, "b", n).points == 0);
}

TEST_CASE("Tables of columns", "[lessons][kinds]") {
  KindBench bench;
  const Question table = one_of_each()[3];
  CHECK(bench.grade(table, {{"x", {0, 1}}, {"a/b", {"Yes", " yes"}}}).state == State::right);
  CHECK(table.kind->parse(table, {}, "x : 0, 1; a/b: yes yes") ==
        json({{"x", {"0", "1"}}, {"a/b", {"yes", "yes"}}}));
  const Verdict half = bench.grade(table, {{"x", {0, 1}}});
  CHECK(half.points == 0.5);
  CHECK(has(half.says, "a/b at rank 0 (empty), a/b at rank 1 (empty)"));
  const Verdict word = bench.grade(table, {{"x", {"solve", 1}}, {"a/b", {"yes", "no"}}});
  CHECK(word.points == 0.5);
  CHECK(has(word.says, "a/b at rank 1, x at rank 0 (not a number)"));
  CHECK(bench.grade(table, {{"x", {0, 1, 2}}, {"a/b", {"yes", "yes"}}}).state == State::malformed);
  CHECK(bench.grade(table, {{"x", 0}, {"a/b", "yes"}}).points == 0.5);
  CHECK_THROWS_AS(table.kind->parse(table, {}, "y: 1, 2"), UserError);
  const json rebuilt = [&] {  // what a form's fields make
    json out;
    for (const AnswerField& field : bench.form(table).fields)
      out[json::json_pointer(field.name)] =
          has(field.label, "a/b") ? "yes" : field.label.substr(5, 1);
    return out;
  }();
  CHECK(bench.grade(table, rebuilt).state == State::right);
  Question known = table;
  known.misconceptions = {{"empty", json::object(), "never", 1}};
  CHECK(bench.grade(known, {{"x", {5, 5}}}).misconception.empty());
}

TEST_CASE("Numbers, lists and orders", "[lessons][kinds]") {
  KindBench bench;
  const auto all = one_of_each();
  const Question &number = all[0], &vector = all[1], &shape = all[2], &order = all[7];
  CHECK(bench.grade(number, "0.014 s").state == State::right);
  CHECK(bench.grade(number, "2*7 ms").state == State::right);
  CHECK(has(bench.grade(number, 14000).says, "Check the unit"));
  CHECK(has(bench.grade(number, -14).says, "sign"));
  CHECK(has(bench.grade(number, 13).says, "Too small"));
  for (const char* same : {"14,0 ms", "≈ 14 ms", "14000 μs", "~14", "0,014 seconds"})
    CHECK(bench.grade(number, same).state == State::right);
  CHECK(bench.grade(number, "14,000 us").state == State::malformed);  // 14 or 14000?
  CHECK(bench.grade(number, "14 MB").state == State::malformed);
  CHECK(bench.grade(number, true).state == State::malformed);
  CHECK(has(bench.grade(vector, "1, 2, 4").says, "Wrong at the 3rd number; the other 2 are right"));
  CHECK(has(bench.grade(vector, "1, 2").says, "3 numbers, not 2"));
  CHECK(has(bench.grade(shape, "[8, 2]").says, "Wrong at all 2 dimensions"));
  const Question wide =
      KindBench::question("vector", {{"answer", {{"for", "i"}, {"count", 50}, {"value", "=i+1"}}}});
  CHECK(has(bench.grade(wide, json(std::vector<int>(50, 0))).says, "Wrong at all 50 numbers"));
  const json key = bench.key(order);
  json letters = json::array();
  for (const char c : key.get<std::string>()) letters.push_back(std::string(1, c));
  CHECK(bench.grade(order, letters).state == State::right);
  CHECK(bench.grade(order, "a, b, c").state == State::wrong);
  CHECK(bench.grade(order, "a, b").state == State::malformed);
  CHECK_THROWS_AS(bench.key(KindBench::question("order", {{"items", json::array()}})), UserError);
}

TEST_CASE("A misconception that cannot be computed is not the answer's fault", "[lessons][kinds]") {
  KindBench bench;
  Question question = one_of_each()[0];
  question.misconceptions = {{"broken", "=1/nothing", "never", 0}};
  CHECK(bench.grade(question, 3).state == State::wrong);
}

TEST_CASE("There is one of each kind here, and each declares all that it reads",
          "[lessons][kinds]") {
  std::set<std::string_view> seen;
  for (const Question& question : one_of_each()) {
    const KindRow& row = question.kind->row();
    seen.insert(row.name);
    CHECK(!row.title.empty());
    CHECK(!row.answer.empty());
    Complaints complaints;
    const auto source = std::make_shared<TomlSource>();
    source->root = question.data;
    TomlNode node(source, complaints);
    question.kind->check(node);
    INFO(row.name);
    if (question.kind->marked_by_hand()) node.at("points");  // the question's own
    std::set<std::string> declared;
    for (const KindKey& key : row.keys) declared.emplace(key.name);
    if (question.kind->marked_by_hand()) declared.insert("points");
    CHECK(std::set<std::string>(node.asked().begin(), node.asked().end()) == declared);
    CHECK(complaints.to_string() == "");
  }
  CHECK(seen.size() == std::size(kQuestionKinds));
}

std::string complaints_on(const std::string& text) {
  Complaints complaints;
  const auto source = parse_toml(text, "q.toml", complaints);
  REQUIRE(source != nullptr);
  TomlNode node(source, complaints);
  const QuestionKind* kind = find_kind(node.required_text("kind"));
  REQUIRE(kind != nullptr);
  kind->check(node);
  node.finish();
  return complaints.to_string();
}

TEST_CASE("Questions about runs are checked", "[lessons][kinds]") {
  CHECK(complaints_on("kind='predict'\nrun='r'\nafter=1").empty());
  CHECK(has(complaints_on("kind='predict'\nrun='r'"), "'after' is missing"));
  CHECK(complaints_on("kind='fill'\nrun='r'\nafter='=k'\nshow='contributions'\npartial=true")
            .empty());
  CHECK(has(complaints_on("kind='fill'\nrun='r'\nshow='numbers'"), "q.toml:3: 'show' is"));
  const std::string schedule = "kind='schedule'\nranks='=N'\nreference='allreduce.ring'\n";
  CHECK(complaints_on(schedule +
                      "collective='allreduce'\nrules={rounds=6, peers='ring', one_send=true}")
            .empty());
  CHECK(has(complaints_on(schedule + "collective='alltoall'"), "no schedule of a 'alltoall'"));
  CHECK(has(complaints_on(schedule + "collective='reduce'\nrules={peer='ring'}"), "peers"));
  CHECK(has(complaints_on("kind='schedule'\ncollective='reduce'\nreference='reduce.round'"),
            "no algorithm"));
  CHECK(complaints_on("kind='bug'\nrun='r'\nask='line'\nright=[{line='x', says='y'}]").empty());
  CHECK(has(complaints_on("kind='bug'\nrun='r'\nask=['rank']\nright=[{line='x'}]"),
            "'rank' is asked for"));
  CHECK(has(complaints_on("kind='bug'\nrun='r'\nask=['step']"), "'step' cannot be asked for"));
  CHECK(complaints_on("kind='diagram'\ncollective='alltoall'\nranks=4\nrules={one_send=true}")
            .empty());
  CHECK(has(complaints_on("kind='diagram'\ncollective='allgather'\nranks=4"), "alltoall"));
}

}  // namespace
}  // namespace rankscope
