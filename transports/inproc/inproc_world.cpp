// Starts a thread per rank and collects their events.
#include "transports/inproc/inproc_world.h"

#include <exception>
#include <thread>

#include <fmt/format.h>

namespace rankscope {

void CollectingSink::deliver(EventBatch&& batch) {
  const std::lock_guard lock(mutex_);
  batches_.push_back(std::move(batch));
}

std::vector<EventBatch> CollectingSink::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(batches_, {});
}

InprocWorld::InprocWorld(int world_size, EventSink* sink) : hub_(world_size) {
  for (Rank r = 0; r < world_size; ++r) {
    links_.push_back(std::make_unique<InprocLink>(r, hub_));
    contexts_.push_back(
        std::make_unique<RankContext>(r, world_size, *links_.back(), sink, nullptr, nullptr));
  }
}

InprocWorld::~InprocWorld() = default;

void InprocWorld::run(const std::function<void(Communicator&)>& body,
                      const RankSettings& settings) {
  run_on_threads(contexts_, ++epoch_, body, settings);
}

void run_on_threads(std::span<const std::unique_ptr<RankContext>> ranks, std::uint32_t epoch,
                    const std::function<void(Communicator&)>& body, const RankSettings& settings) {
  std::mutex mutex;
  std::exception_ptr cause;
  const auto failed = [&](Rank rank, std::exception_ptr error, const char* what) {
    {
      const std::lock_guard lock(mutex);
      if (cause) return;  // the others only follow
      cause = std::move(error);
    }
    for (const auto& context : ranks)
      if (context->rank() != rank)
        context->progress().stop(fmt::format("rank {} failed: {}", rank, what));
  };
  for (const auto& context : ranks) context->begin_job(epoch, settings);
  std::vector<std::thread> threads;
  for (const auto& context : ranks) {
    threads.emplace_back([&] {
      try {
        Communicator comm(*context);
        body(comm);
      } catch (const std::exception& e) {
        failed(context->rank(), std::current_exception(), e.what());
      } catch (...) {
        failed(context->rank(), std::current_exception(), "an unknown error");
      }
      context->recorder().flush();
    });
  }
  for (auto& thread : threads) thread.join();
  if (cause) std::rethrow_exception(cause);
}

}  // namespace rankscope
