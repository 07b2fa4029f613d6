// The event list's filters, as text.
#include "gui/state/search/event_query.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "engine/core/base/error.h"
#include "tests/gui_state/live.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"
#include "tests/support/scripted_run.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

const Trace& ring() {
  static const Trace trace = trace_of_job("allreduce.ring", 4, 16);
  return trace;
}

std::vector<std::uint64_t> found(const std::string& text, const Trace& trace = ring()) {
  EventQuery query(text, trace);
  std::vector<std::uint64_t> events;
  for (std::uint64_t k = 0; k < trace.size(); ++k)
    if (query.meets(trace, trace[k])) events.push_back(k);
  return events;
}

template <typename Holds>
void check_filter(const std::string& text, Holds holds) {
  INFO(text);
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t k = 0; k < ring().size(); ++k)
    if (holds(ring()[k])) wanted.push_back(k);
  CHECK(found(text) == wanted);
  CHECK_FALSE(wanted.empty());
  CHECK(wanted.size() < ring().size());
}

std::string complaint(const std::string& text) {
  try {
    (void)EventQuery(text, ring());
  } catch (const UserError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("event query: each filter finds what it says", "[gui_state]") {
  check_filter("rank:2", [](const auto& e) { return e.rank == 2; });
  check_filter("RANK:0,3", [](const auto& e) { return e.rank == 0 || e.rank == 3; });
  check_filter("peer:1", [](const auto& e) { return e.peer == 1; });
  check_filter("op:recv_reduce", [](const auto& e) { return e.verb == Verb::recv_reduce; });
  check_filter("op:send,reduce",
               [](const auto& e) { return e.verb == Verb::send || e.verb == Verb::reduce; });
  check_filter("op:posted", [](const auto& e) { return e.kind == EventKind::posted; });
  check_filter("op:work", [](const auto& e) { return e.kind == EventKind::local; });
  check_filter("size:>0", [](const auto& e) { return e.bytes > 0; });
  check_filter("size:32", [](const auto& e) { return e.bytes == 32; });
  check_filter("size:<32B", [](const auto& e) { return e.bytes < 32; });
  check_filter("size:<=31", [](const auto& e) { return e.bytes < 32; });
  check_filter("size:1-0.125KiB", [](const auto& e) { return e.bytes >= 1 && e.bytes <= 128; });
  check_filter("phase:allgather", [](const auto& e) {
    const auto* phase = ring().definition(Definition::Kind::phase, e.phase);
    return phase != nullptr && phase->name == "allgather";
  });
  check_filter("RECV matched", [](const auto& e) {
    return e.kind == EventKind::matched && (e.verb == Verb::recv || e.verb == Verb::recv_reduce);
  });
  check_filter("\"to rank 3\" rank:2",
               [](const auto& e) { return e.rank == 2 && e.peer == 3 && is_send(e.verb); });
  CHECK(found("").size() == ring().size());
  CHECK(EventQuery("  ", ring()).none());
  CHECK_FALSE(EventQuery("rank:0", ring()).none());
}

TEST_CASE("event query: lines of the source are words, not filters", "[gui_state]") {
  std::string place;
  for (std::uint64_t k = 0; k < ring().size() && place.find(".cpp:") == std::string::npos; ++k)
    place = event_place(ring(), ring()[k]);
  const auto file = place.substr(place.rfind(' ') + 1);
  INFO(place);
  REQUIRE_THAT(file, ContainsSubstring(".cpp:"));
  CHECK_FALSE(found(file).empty());
}

TEST_CASE("event query: a wrong word is reported, with what was meant", "[gui_state]") {
  CHECK_THAT(complaint("rnak:2"), ContainsSubstring("did you mean 'rank'?"));
  CHECK_THAT(complaint("rank:4"), ContainsSubstring("0 to 3"));
  CHECK_THAT(complaint("peer:x"), ContainsSubstring("0 to 3"));
  CHECK_THAT(complaint("op:recieve"), ContainsSubstring("recv"));
  CHECK_THAT(complaint("phase:algather"), ContainsSubstring("did you mean 'allgather'?"));
  CHECK_THAT(complaint("phase:xyzzy"), ContainsSubstring("reduce-scatter"));
  CHECK_THAT(complaint("size:many"), ContainsSubstring("64KiB"));
  CHECK_THAT(complaint("size:9-4"), ContainsSubstring("smaller size comes first"));
  CHECK_THAT(complaint("size:<0"), ContainsSubstring("nothing"));
  CHECK_THAT(complaint("rank:"), ContainsSubstring("what follows?"));
}

TEST_CASE("event query: hints complete the last word", "[gui_state]") {
  const auto words = [](const std::string& text) {
    std::vector<std::string> all;
    for (const auto& hint : query_hints(text, ring())) all.push_back(hint.word);
    return all;
  };
  CHECK(words("").size() == 5);
  CHECK(words("rank:2 ph") == std::vector<std::string>{"phase:"});
  CHECK(words("phase:all") == std::vector<std::string>{"phase:allgather"});
  CHECK(words("peer:3") == std::vector<std::string>{"peer:3"});
  CHECK(words("rank:0,1").front() == "rank:0,1");
  CHECK(words("op:recv_").size() == 1);
  CHECK(words("recv").empty());
  // Whatever is offered is understood.
  for (const auto* key : {"rank:", "phase:", "op:", "peer:", "size:"})
    for (const auto& word : words(key)) {
      INFO(word);
      CHECK(complaint(word).empty());
    }
  CHECK(with_last_word("rank:2 ph", "phase:") == "rank:2 phase:");
  CHECK(with_last_word("rank:2 phase:al", "phase:allgather") == "rank:2 phase:allgather ");
  CHECK(with_filter("rank:2 send", "rank", "3") == "send rank:3");
  CHECK(with_filter("rank:2 send", "rank", "") == "send");
  CHECK(filter_of(with_filter("", "phase", "step 2"), "phase") == "step 2");
}

TEST_CASE("event search: finds the same in its thread, in parts", "[gui_state]") {
  const Trace large = trace_of_job("allreduce.ring", 8, 8);
  const auto document = Document::make(large, "");
  for (const auto* text : {"rank:2", "recv", "op:send size:>0", "rank:7 op:buffers"}) {
    INFO(text);
    const auto wanted = found(text, large);
    EventSearch search;
    search.start(document, EventQuery(text, large));
    REQUIRE(eventually([&] { return !search.take(); }));
    REQUIRE(search.size() == wanted.size());
    for (std::uint64_t i = 0; i < search.size(); ++i) CHECK(search[i] == wanted[i]);
    for (std::uint64_t event = 0; event <= large.size(); event += 7)
      CHECK(search.before(event) ==
            static_cast<std::uint64_t>(std::ranges::lower_bound(wanted, event) - wanted.begin()));
  }
}

TEST_CASE("queries: calls of built-in collectives, and notes", "[gui_state]") {
  ScriptedRun run(2);
  run.line(7);
  for (const Rank rank : {0, 1}) {
    run.call(rank, rank == 0 ? "broadcast" : "barrier");
    run.returned(rank);
  }
  const OpId sent = run.isend(0, 1);
  run.note(Note::request_dropped, 0, sent);
  run.note(Note::buffer_changed, 0, sent);
  const Trace trace = run.trace();
  CHECK(found("op:calls", trace) == std::vector<std::uint64_t>{0, 1, 2, 3});
  CHECK(found("broadcast", trace) == std::vector<std::uint64_t>{0, 1});
  CHECK(found("op:notes", trace) == std::vector<std::uint64_t>{6, 7});
  CHECK(found("changed", trace) == std::vector<std::uint64_t>{7});
  CHECK(found("op:send", trace) == std::vector<std::uint64_t>{4, 5});
}
