// Runs ranks as threads with one ZeroMQ context each.
#include "tests/transports/zeromq_world.h"

#include <optional>

#include "transports/factory.h"
#include "transports/inproc/inproc_world.h"
#include "transports/zeromq/zmq_util.h"

namespace rankscope::test {

LinkConfig link_config(const std::string& kind, Rank rank, int world_size,
                       const TemporaryFolder& dir) {
  LinkConfig config;
  config.transport = kind.substr(0, 3);
  config.rank = rank;
  config.world_size = world_size;
  config.secret = kSecret;
  config.directory = dir.path();
  return config;
}

ZeromqWorld::ZeromqWorld(const std::string& kind, int world_size,
                         const std::function<void(LinkConfig&)>& adjust) {
  std::optional<CurveKeys> keys;
  if (kind == "tcp+curve") keys = make_curve_keys();
  std::vector<std::string> endpoints;
  for (Rank r = 0; r < world_size; ++r) {
    auto config = link_config(kind, r, world_size, dir_);
    config.keys = keys;
    if (adjust) adjust(config);
    links_.push_back(make_link(config));
    endpoints.push_back(links_.back()->endpoint());
  }
  for (Rank r = 0; r < world_size; ++r) {
    link(r).set_peers(endpoints);
    contexts_.push_back(
        std::make_unique<RankContext>(r, world_size, link(r), nullptr, nullptr, nullptr));
  }
}

ZeromqWorld::~ZeromqWorld() = default;

void ZeromqWorld::run(const std::function<void(Communicator&)>& body,
                      const RankSettings& settings) {
  run_on_threads(contexts_, ++epoch_, body, settings);
}

}  // namespace rankscope::test
