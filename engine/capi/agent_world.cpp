// Runs the agents of all ranks as threads of one world and collects their events.
#include "engine/capi/agent_world.h"

#include <mutex>
#include <utility>

#include "engine/core/trace/trace_builder.h"
#include "engine/run/job/job.h"

namespace rankscope::capi {
namespace {

class AgentEvents : public EventSink {
 public:
  AgentEvents(TraceBuilder& trace, std::vector<EventBatch>& kept) : trace_(trace), kept_(kept) {}
  void deliver(EventBatch&& batch) override {
    for (StepEvent& event : batch.events) event.origin = Origin::agent;
    const std::lock_guard lock(mutex_);
    kept_.push_back(batch);
    trace_.deliver(std::move(batch));
  }

 private:
  std::mutex mutex_;
  TraceBuilder& trace_;
  std::vector<EventBatch>& kept_;
};

}  // namespace

AgentWorldRun run_agents(const JobSpec& spec, RunnerOptions options) {
  AgentWorldRun out;
  out.meta = meta_of(spec);
  TraceBuilder builder(out.meta);
  AgentEvents events(builder, out.events);
  out.result = InprocRunner(std::move(options)).run(spec, events);
  out.result.algorithm = spec.call.algorithm;
  out.meta.outcome = out.result;
  out.meta.complete = true;
  builder.set_meta(out.meta);
  out.trace.emplace(builder.finish());
  return out;
}

}  // namespace rankscope::capi
