// Orders of pipeline stages: complete, without stages that wait for each other, and as idle as the closed form says.
#include "engine/training/parallel/pipeline_schedule.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::training;

namespace {

constexpr auto kOneOne = PipelineKind::one_forward_one_backward;

/// "F0 F1 B0 B1"
std::string text_of(const std::vector<PipelineSlot>& slots) {
  std::string text;
  for (const PipelineSlot& slot : slots)
    text +=
        fmt::format("{}{}{}", text.empty() ? "" : " ", slot.backward ? 'B' : 'F', slot.microbatch);
  return text;
}

template <class Check>
void for_many(Check check) {
  for (const PipelineKind kind : {PipelineKind::gpipe, kOneOne})
    for (const int stages : {1, 2, 3, 4, 7, 8, 16})
      for (const int microbatches : {1, 2, 3, 4, 5, 8, 17, 64}) {
        INFO(fmt::format("{}, {} stages, {} microbatches", title_of(kind), stages, microbatches));
        check(kind, microbatches, stages);
      }
}

/// The idle share of all stages' time from 0 to the end of the last slot.
double idle_share(const std::vector<std::vector<TimedSlot>>& stages) {
  double busy = 0, end = 0;
  for (const auto& stage : stages)
    for (const TimedSlot& one : stage) {
      busy += one.end - one.begin;
      end = std::max(end, one.end);
    }
  return 1 - busy / (end * double(stages.size()));
}

}  // namespace

TEST_CASE("training: the schedules of GPipe and 1F1B are those of their papers' figures",
          "[training][parallel]") {
  // GPipe, figure 2c: four stages, four microbatches; every stage has the same order.
  for (int stage = 0; stage < 4; ++stage)
    CHECK(text_of(pipeline_schedule(PipelineKind::gpipe, stage, 4, 4)) ==
          "F0 F1 F2 F3 B3 B2 B1 B0");
  // SC 2021, figure 4, top: four devices, eight microbatches (counted from 1 there).
  CHECK(text_of(pipeline_schedule(kOneOne, 0, 8, 4)) ==
        "F0 F1 F2 F3 B0 F4 B1 F5 B2 F6 B3 F7 B4 B5 B6 B7");
  CHECK(text_of(pipeline_schedule(kOneOne, 1, 8, 4)) ==
        "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 F6 B4 F7 B5 B6 B7");
  CHECK(text_of(pipeline_schedule(kOneOne, 3, 8, 4)) ==
        "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7");
  // Fewer microbatches than stages.
  CHECK(text_of(pipeline_schedule(kOneOne, 0, 2, 4)) == "F0 F1 B0 B1");
  CHECK(text_of(pipeline_schedule(kOneOne, 2, 2, 4)) == "F0 F1 B0 B1");
  CHECK(text_of(pipeline_schedule(kOneOne, 3, 2, 4)) == "F0 B0 F1 B1");
}

TEST_CASE("training: each stage does each microbatch once forward, then once backward",
          "[training][parallel]") {
  for_many([](PipelineKind kind, int microbatches, int stages) {
    for (int stage = 0; stage < stages; ++stage) {
      std::vector<int> done(static_cast<std::size_t>(microbatches));
      for (const PipelineSlot& slot : pipeline_schedule(kind, stage, microbatches, stages)) {
        int& of = done.at(static_cast<std::size_t>(slot.microbatch));
        CHECK(of == (slot.backward ? 1 : 0));
        ++of;
      }
      CHECK(done == std::vector<int>(static_cast<std::size_t>(microbatches), 2));
    }
  });
}

TEST_CASE("training: stages keep as many activations as the closed form says",
          "[training][parallel]") {
  for_many([](PipelineKind kind, int microbatches, int stages) {
    for (int stage = 0; stage < stages; ++stage) {
      const int most = most_activations(pipeline_schedule(kind, stage, microbatches, stages));
      CHECK(most == most_activations(kind, stage, microbatches, stages));
      if (kind == kOneOne) CHECK(most <= stages - stage);
      else CHECK(most == microbatches);
    }
  });
}

TEST_CASE("training: the pipeline's bubble, counted, is (P - 1)/(M + P - 1)",
          "[training][parallel]") {
  for_many([](PipelineKind kind, int microbatches, int stages) {
    for (const SlotTimes times : {SlotTimes{}, SlotTimes{.forward = 1, .backward = 1},
                                  SlotTimes{.forward = 3, .backward = 0.5}}) {
      const auto timed = pipeline_times(kind, microbatches, stages, times);
      INFO(fmt::format("forward {}, backward {}", times.forward, times.backward));
      for (const auto& stage : timed) REQUIRE(int(stage.size()) == 2 * microbatches);
      CHECK(std::abs(idle_share(timed) - bubble_share(microbatches, stages)) < 1e-12);
    }
  });
  CHECK(bubble_share(4, 4) == 3.0 / 7);
}

TEST_CASE("training: a slot begins when its stage is free and its input is there",
          "[training][parallel]") {
  for_many([](PipelineKind kind, int microbatches, int stages) {
    const auto timed = pipeline_times(kind, microbatches, stages);
    const auto end_of = [&](int stage, PipelineSlot wanted) {
      for (const TimedSlot& one : timed.at(static_cast<std::size_t>(stage)))
        if (one.slot == wanted) return one.end;
      FAIL("a slot is missing");
      return 0.0;
    };
    for (int stage = 0; stage < stages; ++stage) {
      double free_from = 0;
      for (const TimedSlot& one : timed[static_cast<std::size_t>(stage)]) {
        double input = 0;
        if (!one.slot.backward && stage > 0) input = end_of(stage - 1, one.slot);
        if (one.slot.backward)
          input = stage + 1 < stages ? end_of(stage + 1, one.slot)
                                     : end_of(stage, {false, one.slot.microbatch});
        CHECK(one.begin == std::max(free_from, input));
        free_from = one.end;
      }
    }
  });
}

TEST_CASE("training: a pipeline that cannot be is refused", "[training][parallel]") {
  const auto fault = [](int stage, int microbatches, int stages) {
    try {
      pipeline_schedule(kOneOne, stage, microbatches, stages);
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK_THAT(fault(4, 2, 4), ContainsSubstring("no stage 4"));
  CHECK_THAT(fault(-1, 2, 4), ContainsSubstring("no stage -1"));
  CHECK_THAT(fault(0, 0, 4), ContainsSubstring("1 or more microbatches"));
}
