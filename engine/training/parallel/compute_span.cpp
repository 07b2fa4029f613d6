// Records a span of computing when it ends.
#include "engine/training/parallel/compute_span.h"

namespace rankscope::training {

ComputeSpan::ComputeSpan(Communicator& comm, std::string_view what, Site site)
    : recorder_(comm.context().recorder()) {
  event_.kind = EventKind::local;
  event_.verb = Verb::compute;
  event_.begin_ns = comm.now();
  event_.comm = comm.definition();
  event_.site = recorder_.site(site, 0);
  event_.phase = recorder_.phase(what, 0);
}

ComputeSpan::~ComputeSpan() { recorder_.record(event_); }

}  // namespace rankscope::training
