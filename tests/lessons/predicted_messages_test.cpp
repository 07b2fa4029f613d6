// Messages of an answer, and the first one that a run does not send.
#include "lessons/kinds/predicted_messages.h"

#include <nlohmann/json.hpp>

#include "lessons/kinds/kind.h"
#include "tests/support/catch.h"

using namespace rankscope;
using nlohmann::json;

namespace {

AnswerForm steps_form() {
  AnswerForm form;
  form.rows = true;
  form.fields = {{"/step", "step"},
                 {"/from", "from"},
                 {"/to", "to"},
                 {"/chunk", "chunk"},
                 {"/add", "receiver", AnswerField::Type::choice, {"add", "keep"}}};
  form.picture.is = AnswerPicture::Is::messages;
  return form;
}

PredictedMessage sent(int step, Rank from, Rank to, int chunk) {
  PredictedMessage out;
  out.step = step;
  out.from = from;
  out.to = to;
  out.chunk = std::to_string(chunk);
  out.first = out.last = chunk;
  return out;
}

/// To the right: rank r sends chunk r, then r - 1.
const std::vector<PredictedMessage> kRing = {sent(1, 0, 1, 0), sent(1, 1, 2, 1), sent(1, 2, 0, 2),
                                             sent(2, 0, 1, 2), sent(2, 1, 2, 0), sent(2, 2, 0, 1)};

std::string parts(const std::vector<PredictedMessage>& predicted, bool all = false) {
  const auto found = first_difference(predicted, kRing, all);
  return found ? found->says : "";
}

}  // namespace

TEST_CASE("predicted messages: rows as they are typed, and half ones left out", "[lessons]") {
  const json answer = json::parse(R"([
    {"step": "1", "from": "0", "to": "1", "chunk": "2", "add": "add"},
    {"step": 2, "from": 1, "to": 0, "chunk": "all", "add": false},
    {"step": "3", "from": "", "to": "1", "chunk": "", "add": ""},
    {"step": "3", "from": "2", "to": "1", "chunk": "", "add": ""},
    "4: 0 -> 1 all keep",
    {"step": "5", "from": "0", "to": "1", "chunk": "2-3", "add": "keep"}])");
  const auto found = predicted_messages(steps_form(), answer);
  REQUIRE(found.size() == 4);
  CHECK(found[0].first == 2);
  CHECK(found[0].receiver == "add");
  CHECK(found[1].whole);
  CHECK(found[1].receiver == "keep");
  CHECK(found[2].row == 3);
  CHECK(found[2].chunk.empty());
  CHECK(what_is_sent(found[3]) == "chunks 2–3");
  CHECK(predicted_messages(steps_form(), "none").empty());
  CHECK(predicted_messages(AnswerForm(), answer).empty());
}

TEST_CASE("predicted messages: the first difference, in words", "[lessons]") {
  CHECK(parts(kRing, true).empty());
  CHECK(parts({}).empty());
  CHECK(parts({sent(2, 0, 1, 1)}) ==
        "Parts at step 2: you sent chunk 1 from rank 0 to rank 1, the run sends chunk 2.");
  CHECK(parts({sent(1, 0, 1, 0), sent(2, 0, 2, 2)}) ==
        "Parts at step 2: you sent chunk 2 from rank 0 to rank 2, the run sends it to rank 1.");
  CHECK(parts({sent(2, 0, 2, 1)}) ==
        "Parts at step 2: you sent chunk 1 from rank 0 to rank 2, the run sends chunk 2 to rank "
        "1.");
  CHECK(parts({sent(3, 0, 1, 1)}) ==
        "Parts at step 3: you sent chunk 1 from rank 0 to rank 1, the run sends nothing any more.");
  // A message too many, where all that its sender and its receiver have to do with is matched.
  CHECK(parts({sent(1, 0, 1, 0), sent(1, 1, 2, 1), sent(1, 2, 0, 2), sent(1, 0, 2, 1)}) ==
        "Parts at step 1: you sent chunk 1 from rank 0 to rank 2, in the run rank 0 sends nothing "
        "more in this step.");
}

TEST_CASE("predicted messages: what is left out is a difference of a whole schedule", "[lessons]") {
  const std::vector<PredictedMessage> half(kRing.begin(), kRing.begin() + 3);
  CHECK(parts(half).empty());
  CHECK(parts(half, true) ==
        "Parts at step 2: the run sends chunk 2 from rank 0 to rank 1, which you left out.");
  CHECK(first_difference(half, kRing, true)->row == -1);
  // All of the data is a chunk's number where there is one only.
  PredictedMessage whole = sent(1, 0, 1, 0);
  whole.whole = true;
  whole.chunk = "all";
  whole.first = whole.last = -1;
  PredictedMessage run = sent(1, 0, 1, 0);
  run.whole = true;
  CHECK_FALSE(first_difference(std::vector{whole}, std::vector{run}, true));
  CHECK(first_difference(std::vector{whole}, std::vector{sent(1, 0, 1, 0)}, true));
}
