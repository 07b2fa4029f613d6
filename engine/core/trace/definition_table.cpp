// Merges the definitions of all ranks and maps each rank's numbers to the common ones.
#include "engine/core/trace/definition_table.h"

#include <utility>

namespace rankscope {
namespace {

// A recorder counts from 1; numbers far ahead come from no recorder, and must not cause allocations.
constexpr std::uint32_t kMostAhead = 1U << 16;

std::uint32_t mapped(const std::vector<std::uint32_t>& ids, std::uint32_t id) noexcept {
  return id < ids.size() ? ids[id] : 0;
}

constexpr std::size_t index_of(Definition::Kind kind) noexcept {
  return static_cast<std::size_t>(kind);
}

}  // namespace

const Definition* DefinitionTable::find(Definition::Kind kind, std::uint32_t id) const noexcept {
  const auto& list = lists_[index_of(kind)];
  return id > 0 && id <= list.size() && list[id - 1].id == id ? &list[id - 1] : nullptr;
}

void DefinitionTable::put(Definition definition) {
  auto& list = lists_[index_of(definition.kind)];
  const auto id = definition.id;
  if (id == 0 || id > list.size() + kMostAhead)
    throw FormatError("a definition has an impossible number");
  if (id > list.size()) list.resize(id);
  list[id - 1] = std::move(definition);
}

void DefinitionTable::add(Ids& ids, Definition definition) {
  const auto kind = definition.kind;
  const auto own_id = definition.id;
  auto& own = ids[index_of(kind)];
  if (own_id == 0 || own_id > own.size() + kMostAhead)
    throw FormatError("a rank's definition has an impossible number");
  if (kind == Definition::Kind::site || kind == Definition::Kind::phase)
    definition.parent = mapped(own, definition.parent);
  auto& list = lists_[index_of(kind)];
  definition.id = static_cast<std::uint32_t>(list.size() + 1);
  if (kind != Definition::Kind::buffer) {
    Definition anyones = definition;
    anyones.id = 0;
    anyones.rank = -1;
    Bytes key;
    ByteWriter writer(key);
    encode(anyones, writer);
    const auto [known, added] = shared_.emplace(
        std::string(reinterpret_cast<const char*>(key.data()), key.size()), definition.id);
    definition.id = known->second;
    definition.rank = -1;
    if (!added) {
      if (own_id >= own.size()) own.resize(own_id + 1);
      own[own_id] = definition.id;
      return;
    }
  }
  if (own_id >= own.size()) own.resize(own_id + 1);
  own[own_id] = definition.id;
  list.push_back(std::move(definition));
}

void DefinitionTable::renumber(EventBatch& batch) {
  auto& ids = ids_[batch.rank];
  for (auto& definition : batch.definitions) {
    definition.rank = batch.rank;
    add(ids, std::move(definition));
  }
  batch.definitions.clear();
  const auto& sites = ids[index_of(Definition::Kind::site)];
  const auto& phases = ids[index_of(Definition::Kind::phase)];
  const auto& buffers = ids[index_of(Definition::Kind::buffer)];
  const auto& comms = ids[index_of(Definition::Kind::comm)];
  for (StepEvent& event : batch.events) {
    event.site = mapped(sites, event.site);
    event.phase = mapped(phases, event.phase);
    event.in_buffer = mapped(buffers, event.in_buffer);
    event.out_buffer = mapped(buffers, event.out_buffer);
    event.comm = mapped(comms, event.comm);
  }
}

}  // namespace rankscope
