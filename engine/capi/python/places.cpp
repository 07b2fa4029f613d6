// Walks Python's frames outwards, and caches the results.
#include "engine/capi/python/places.h"

#include "engine/capi/handles.h"

namespace rankscope::python {
namespace {
constexpr std::size_t kMostPlaces = 4096;
}

std::size_t Places::Hash::operator()(const Key& key) const noexcept {
  std::size_t sum = key.depth;
  for (std::size_t i = 0; i < key.depth; ++i)
    sum = (sum ^ reinterpret_cast<std::size_t>(key.codes[i]) ^
           static_cast<std::size_t>(key.positions[i])) *
          0x9E3779B97F4A7C15ULL;
  return sum ^ (sum >> 32);
}

const Places::Code* Places::known(Object code) {
  if (const auto found = codes_.find(code); found != codes_.end()) return &found->second;
  Code fresh;
  fresh.entry = Held(python_, python_.call(describe_.get(), code, nullptr));
  if (!fresh.entry) {
    python_.forget_error();
    return nullptr;
  }
  const Object file = python_.item(fresh.entry.get(), 1);
  if (file != python_.none) {
    fresh.file = capi::kept(python_.bytes_data(file));
    fresh.function = capi::kept(python_.bytes_data(python_.item(fresh.entry.get(), 2)));
  }
  return &codes_.emplace(code, std::move(fresh)).first->second;
}

std::span<const CallSite> Places::here() {
  if (codes_.size() >= kMostPlaces || stacks_.size() >= kMostPlaces) {
    stacks_.clear();
    codes_.clear();
  }
  Key key;
  std::array<Held, RS_STACK> frames;
  const Object innermost = python_.current_frame();
  if (innermost == nullptr) return {};
  for (Held frame = hold(python_, innermost); frame && key.depth < RS_STACK;) {
    const Held code(python_, python_.frame_code(frame.get()));
    const Code* const described = known(code.get());
    if (described == nullptr) return {};
    Held next(python_, python_.frame_back(frame.get()));
    if (described->file != nullptr) {
      key.codes[key.depth] = code.get();
      key.positions[key.depth] = python_.frame_position != nullptr
                                     ? python_.frame_position(frame.get())
                                     : python_.frame_line(frame.get());
      frames[key.depth++] = std::move(frame);
    }
    frame = std::move(next);
  }
  if (const auto found = stacks_.find(key); found != stacks_.end())
    return {found->second.calls.data(), key.depth};
  return learn(key, frames);
}

std::span<const CallSite> Places::learn(const Key& key, const std::array<Held, RS_STACK>& frames) {
  Stack stack;
  for (std::size_t i = 0; i < key.depth; ++i) {
    const Code& code = codes_.at(key.codes[i]);
    const int line = python_.frame_line(frames[i].get());
    stack.calls[i] = {code.file, code.function, line < 0 ? 0U : static_cast<unsigned>(line)};
  }
  return {stacks_.emplace(key, stack).first->second.calls.data(), key.depth};
}

}  // namespace rankscope::python
