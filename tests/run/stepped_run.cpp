// Runs a job held at its gates in a thread and counts what is left to release.
#include "tests/run/stepped_run.h"

namespace rankscope::test {

JobSpec stepped_job(const std::string& algorithm, int world_size) {
  JobSpec spec;
  spec.call.algorithm = algorithm;
  spec.world.size = world_size;
  spec.recording.timeout_s = 20;
  return spec;
}

int rounds_to_the_end(SteppedRun& run) {
  int rounds = 0;
  for (int i = 0; i < 200 && !run.step.finished(); ++i) {
    const auto answer = run.step.round();
    UNSCOPED_INFO(answer);
    if (!answer.starts_with("round")) break;
    ++rounds;
  }
  return rounds;
}

void messages_to_the_end(SteppedRun& run) {
  for (int i = 0; i < 2000 && !run.step.finished(); ++i) {
    const auto answer = run.step.release_message();
    UNSCOPED_INFO(answer);
    if (answer == "all ranks are done" || answer == "the run is over") return;
    REQUIRE_THAT(answer, !Catch::Matchers::StartsWith("no"));
  }
}

}  // namespace rankscope::test
