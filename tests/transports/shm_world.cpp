// Runs ranks as threads over shared memory.
#include "tests/transports/shm_world.h"

#include "transports/inproc/inproc_world.h"

namespace rankscope::test {

ShmWorld::ShmWorld(int world_size)
    : memory_(std::make_shared<shm::Memory>(make_shm_memory(world_size), world_size)) {
  for (Rank rank = 0; rank < world_size; ++rank) {
    LinkConfig config;
    config.rank = rank;
    config.world_size = world_size;
    links_.push_back(std::make_unique<ShmLink>(config, memory_));
    contexts_.push_back(
        std::make_unique<RankContext>(rank, world_size, link(rank), nullptr, nullptr, nullptr));
  }
}

ShmWorld::~ShmWorld() = default;

void ShmWorld::run(const std::function<void(Communicator&)>& body, const RankSettings& settings) {
  run_on_threads(contexts_, ++epoch_, body, settings);
}

}  // namespace rankscope::test
