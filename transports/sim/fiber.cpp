// Fibers by Boost.Context, with the exceptions that each has caught kept apart.
#include "transports/sim/fiber.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <boost/context/fiber.hpp>
#include <cxxabi.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "transports/sim/fiber_sanitizers.h"

namespace rankscope {
namespace {

constexpr std::uint64_t kPattern = 0x5EED0FF1BE25AFE5ULL;

std::size_t rounded_up(std::size_t bytes, std::size_t page) {
  return (bytes + page - 1) / page * page;
}

}  // namespace

FiberStacks::FiberStacks(std::size_t bytes)
    : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))), bytes_(rounded_up(bytes, page_)) {}

FiberStacks::~FiberStacks() {
  for (std::byte* const slab : slabs_) ::munmap(slab, page_ + kPerSlab * bytes_);
}

void FiberStacks::add_slab() {
  void* const slab = ::mmap(nullptr, page_ + kPerSlab * bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (slab == MAP_FAILED)
    throw UserError(fmt::format("no memory for the stacks of more than {} ranks: simulate fewer",
                                slabs_.size() * kPerSlab));
  slabs_.push_back(static_cast<std::byte*>(slab));
  ::mprotect(slab, page_, PROT_NONE);
  free_.reserve(slabs_.size() * kPerSlab);  // give_back() allocates nothing
  for (std::size_t i = kPerSlab; i-- > 0;) free_.push_back(slabs_.back() + page_ + i * bytes_);
}

std::byte* FiberStacks::take() {
  if (free_.empty()) add_slab();
  std::byte* const stack = free_.back();
  free_.pop_back();
  std::memcpy(stack, &kPattern, sizeof(kPattern));
  return stack;
}

std::size_t FiberStacks::offset_of(const std::byte* stack) const noexcept {
  const std::size_t lines = bytes_ / 4 / 64;
  const auto number = reinterpret_cast<std::uintptr_t>(stack) / page_;
  return number * 0x9E3779B97F4A7C15ULL % 0xFFFFFFFBULL % lines * 64;
}

bool FiberStacks::overflowed(const std::byte* stack) noexcept {
  return std::memcmp(stack, &kPattern, sizeof(kPattern)) != 0;
}

namespace {

/// The C++ runtime's data of a thread (Itanium C++ ABI 2.2.2): exceptions caught and not yet left, and how many
/// are on their way. A fiber may sleep in a handler while another one throws.
struct CaughtExceptions {
  void* caught = nullptr;
  unsigned int uncaught = 0;

  void swap_with_thread() noexcept {
    auto* const thread = reinterpret_cast<CaughtExceptions*>(abi::__cxa_get_globals());
    std::swap(caught, thread->caught);
    std::swap(uncaught, thread->uncaught);
  }
};

}  // namespace

struct Fiber::Context {
  /// Required by Boost's allocator concept.
  struct Stack {
    Context* context;
    boost::context::stack_context allocate() {
      boost::context::stack_context out;
      out.size = context->stacks.bytes() - context->stacks.offset_of(context->stack);
      out.sp = context->stack + out.size;
      return out;
    }
    void deallocate(boost::context::stack_context&) noexcept {}
  };

  Context(FiberStacks& all, std::function<void()> what)
      : stacks(all), body(std::move(what)), stack(all.take()), sanitizers(stack, all.bytes()) {
    inside = boost::context::fiber(std::allocator_arg, Stack{this},
                                   [this](boost::context::fiber&& back) {
                                     sanitizers.enter_fiber();
                                     outside = std::move(back);
                                     body();
                                     sanitizers.leave_fiber(/*for_good=*/true);
                                     return std::move(outside);
                                   });
  }

  FiberStacks& stacks;
  std::function<void()> body;
  std::byte* stack;
  boost::context::fiber inside, outside;
  CaughtExceptions exceptions;
  unsigned turns = 0;
  FiberSanitizers sanitizers;
};

Fiber::Fiber(FiberStacks& stacks, std::function<void()> body)
    : context_(std::make_unique<Context>(stacks, std::move(body))) {}

// Boost would unwind a fiber that has not ended: a moved-to object that is never destroyed keeps it from that.
Fiber::~Fiber() {
  using BoostFiber = boost::context::fiber;
  alignas(BoostFiber) std::byte dropped[sizeof(BoostFiber)];
  if (context_->inside) ::new (dropped) BoostFiber(std::move(context_->inside));
  context_->stacks.give_back(context_->stack);
}

bool Fiber::resume() {
  Context& context = *context_;
  context.exceptions.swap_with_thread();
  context.sanitizers.leave_for_fiber();
  context.inside = std::move(context.inside).resume();
  context.sanitizers.enter_outside();
  context.exceptions.swap_with_thread();
  // Nothing else touches the end of a stack, so checking it each time would cost a cache miss.
  constexpr unsigned kTurnsPerLook = 64;
  const bool looks = !context.inside || ++context.turns % kTurnsPerLook == 0;
  if (looks && FiberStacks::overflowed(context.stack)) {
    std::fputs("rankscope: a rank of the simulation used more stack than it has; stopping\n",
               stderr);
    std::abort();
  }
  return !context.inside;
}

void Fiber::give_way() {
  Context& context = *context_;
  context.sanitizers.leave_fiber(/*for_good=*/false);
  context.outside = std::move(context.outside).resume();
  context.sanitizers.enter_fiber();
}

}  // namespace rankscope
