// What lists and tables mark for a selection.
#include "gui/state/model/inspection.h"
#include "tests/gui_state/driven.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

TEST_CASE("chosen: a rank, a message or a chunk selects events, ranks and elements",
          "[gui_state]") {
  Driven driven;
  driven.app.mutable_state().document = Document::make(trace_of_job("allreduce.ring", 4, 16), "");
  const AppState& state = driven.app.state();
  const Trace& trace = state.document->trace();
  const auto count = [&](auto&& fits) {
    std::uint64_t found = 0;
    for (std::uint64_t k = 0; k < trace.size(); ++k) {
      const bool chosen = is_chosen_event(state, k);
      found += chosen ? 1 : 0;
      if (chosen) CHECK(fits(trace[k]));
    }
    return found;
  };
  const auto anything = [](const StepEvent&) { return true; };
  CHECK(count(anything) == 0);

  REQUIRE(driven.does("select rank 2"));
  const auto of_rank = count([](const StepEvent& event) { return event.rank == 2; });
  CHECK(of_rank > trace.size() / 8);
  CHECK(is_chosen_rank(state, 2));
  CHECK_FALSE(is_chosen_rank(state, 1));

  REQUIRE(driven.does("select message 5"));
  const auto& message = state.document->rounds().messages[5];
  CHECK(count([&](const StepEvent& event) {
          return event.rank == message.from || event.rank == message.to;
        }) >= 3);
  CHECK(is_chosen_event(state, message.sent));
  CHECK(is_chosen_event(state, message.received));
  for (Rank rank = 0; rank < 4; ++rank)
    CHECK(is_chosen_rank(state, rank) == (rank == message.from || rank == message.to));

  REQUIRE(driven.does("select chunk 1"));
  CHECK(chosen_elements(state, 16) == Range{4, 4});
  CHECK(chosen_elements(state, 4) == Range{});  // a buffer that is not all of the data
  const auto of_chunk = count(anything);
  CHECK(of_chunk > 0);
  CHECK(of_chunk < trace.size() / 2);
  REQUIRE(driven.does("select none"));
  CHECK(count(anything) == 0);
}
