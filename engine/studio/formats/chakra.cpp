// Reads and writes Chakra's nodes.
#include "engine/studio/formats/chakra.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

class WireWriter {
 public:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  /// Leaves zero out, as proto3 does, except with `always`: in a oneof its presence tells which member is set.
  void number(int field, std::uint64_t value, bool always = false) {
    if (value == 0 && !always) return;
    key(field, 0);
    varint(value);
  }
  void text(int field, std::string_view value) {
    key(field, 2);
    delimited(value);
  }
  /// Length, then the bytes.
  void delimited(std::string_view value) {
    varint(value.size());
    bytes_ += value;
  }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  void key(int field, int type) {
    varint(static_cast<std::uint64_t>(field) << 3 | static_cast<unsigned>(type));
  }
  std::string bytes_;
};

/// One field of a message: `text` has the bytes of type 2, `number` the bits of the others.
struct WireField {
  int field = 0, type = 0;
  std::uint64_t number = 0;
  std::string_view text = {};
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const noexcept { return at_ == bytes_.size(); }
  std::size_t place() const noexcept { return at_; }
  /// Returns nothing if the bytes end too early, or have another form.
  std::optional<std::uint64_t> varint() {
    std::uint64_t out = 0;
    for (int shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      if (shift == 63 && byte > 1) return std::nullopt;
      out |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return out;
    }
    return std::nullopt;
  }
  std::optional<std::string_view> delimited() {
    const auto length = varint();
    if (!length || *length > bytes_.size() - at_) return std::nullopt;
    const auto out = bytes_.substr(at_, static_cast<std::size_t>(*length));
    at_ += out.size();
    return out;
  }
  std::optional<WireField> next() {
    const auto key = varint();
    if (!key || *key >> 3 == 0 || *key >> 3 > 0x1FFFFFFF) return std::nullopt;
    WireField out{static_cast<int>(*key >> 3), static_cast<int>(*key & 7)};
    switch (out.type) {
      case 0: return with_number(out, varint());
      case 1: return with_number(out, fixed(8));
      case 5: return with_number(out, fixed(4));
      case 2:
        if (const auto text = delimited()) {
          out.text = *text;
          return out;
        }
        return std::nullopt;
      default: return std::nullopt;  // proto3 has no groups
    }
  }

 private:
  static std::optional<WireField> with_number(WireField field,
                                              std::optional<std::uint64_t> number) {
    if (!number) return std::nullopt;
    field.number = *number;
    return field;
  }
  std::optional<std::uint64_t> fixed(std::size_t size) {
    if (bytes_.size() - at_ < size) return std::nullopt;
    std::uint64_t out = 0;
    for (std::size_t i = size; i-- > 0;)
      out = out << 8 | static_cast<unsigned char>(bytes_[at_ + i]);
    at_ += size;
    return out;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

// Numbers of fields, types and nodes in et_def.proto.
constexpr int kAttrName = 1, kAttrDouble = 3, kAttrFloat = 5, kAttrInt32 = 7, kAttrInt64 = 9,
              kAttrSint32 = 15, kAttrSint64 = 17, kAttrBool = 27, kAttrString = 29;
constexpr int kMetadataVersion = 1, kMetadataAttr = 2;
constexpr int kNodeId = 1, kNodeName = 2, kNodeType = 3, kNodeControlDeps = 4, kNodeDataDeps = 5,
              kNodeDuration = 7, kNodeAttr = 10;
constexpr std::uint64_t kMetadata = 1, kCompute = 4, kSend = 5, kReceive = 6, kCollective = 7;
constexpr std::size_t kMostNodes = 20'000'000;

std::string number_attribute(std::string_view name, int field, std::uint64_t value) {
  WireWriter out;
  out.text(kAttrName, name);
  out.number(field, value, true);
  return out.bytes();
}

std::string node_bytes(const ScheduleOperation& one, std::size_t id, Rank rank) {
  WireWriter out;
  out.number(kNodeId, id);
  out.text(kNodeName, one.label.empty() ? fmt::format("op{}", id) : one.label);
  out.number(kNodeType, one.kind == ScheduleOperation::send      ? kSend
                        : one.kind == ScheduleOperation::receive ? kReceive
                                                                 : kCompute);
  WireWriter waits;
  for (const int other : one.after) waits.varint(static_cast<std::uint64_t>(other));
  if (!one.after.empty()) out.text(kNodeDataDeps, waits.bytes());
  out.number(kNodeDuration, one.time_ns / 1000);
  const auto add = [&](std::string_view name, int field, std::uint64_t value) {
    out.text(kNodeAttr, number_attribute(name, field, value));
  };
  add("is_cpu_op", kAttrBool, 0);
  if (one.kind == ScheduleOperation::compute) {
    add("num_ops", kAttrInt64, one.bytes);
    add("tensor_size", kAttrInt64, one.bytes);
    add("rankscope_time_ns", kAttrInt64, one.time_ns);  // durations are whole microseconds
    return out.bytes();
  }
  const bool send = one.kind == ScheduleOperation::send;
  add("comm_size", kAttrInt64, one.bytes);
  add("comm_src", kAttrInt32, static_cast<std::uint64_t>(send ? rank : one.peer));
  add("comm_dst", kAttrInt32, static_cast<std::uint64_t>(send ? one.peer : rank));
  add("comm_tag", kAttrInt32, static_cast<std::uint64_t>(one.tag));
  return out.bytes();
}

void add_facts(WireWriter& out, const FileFacts& facts) {
  for (const auto& [name, value] : facts) {
    WireWriter attribute;
    attribute.text(kAttrName, "rankscope_" + name);
    attribute.text(kAttrString, value);
    out.text(kMetadataAttr, attribute.bytes());
  }
}

class ChakraReader {
 public:
  ChakraReader(std::string_view bytes, const std::string& file, Rank rank)
      : in_(bytes), file_(file), rank_(rank) {}

  RankOperations read() {
    if (in_.at_end())
      fail("the file is empty: it should begin with the metadata of a Chakra trace");
    read_metadata(message());
    while (!in_.at_end()) read_node(message());
    for (std::size_t k = 0; k < out_.operations.size(); ++k)
      for (const std::uint64_t id : waits_[k]) {
        if (skipped_.contains(id)) continue;
        const auto found = numbers_.find(id);
        if (found == numbers_.end())
          fail(fmt::format("node {} waits for node {}, which is not there", ids_[k], id));
        if (found->second == static_cast<int>(k)) fail(fmt::format("node {} waits for itself", id));
        out_.operations[k].after.push_back(found->second);
      }
    return std::move(out_);
  }

 private:
  struct Attribute {
    std::string_view name, text;
    std::uint64_t number = 0;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(fmt::format("{}: byte {}: {}", file_, in_.place(), what));
  }
  std::string_view message() {
    if (const auto out = in_.delimited()) return *out;
    fail("the file ends in the middle of a message: was it cut, or is it no Chakra trace?");
  }
  WireField field_of(WireReader& in) const {
    if (const auto out = in.next()) return *out;
    fail(fmt::format("message {} is no message of Protocol Buffers", out_.operations.size() + 1));
  }
  // Any kind of number, as Chakra's own reader does.
  Attribute attribute(std::string_view bytes) const {
    Attribute out;
    WireReader in(bytes);
    while (!in.at_end()) {
      const WireField field = field_of(in);
      if (field.field == kAttrName && field.type == 2) out.name = field.text;
      else if (field.type == 2)
        out.text = field.field == kAttrString ? field.text : std::string_view();
      else out.number = number_in(field);
    }
    return out;
  }
  static std::uint64_t number_in(const WireField& field) {
    if (field.field == kAttrSint32 || field.field == kAttrSint64)  // zigzag
      return field.number >> 1 ^ (~(field.number & 1) + 1);
    double real = 0;
    if (field.field == kAttrDouble && field.type == 1) real = std::bit_cast<double>(field.number);
    else if (field.field == kAttrFloat && field.type == 5)
      real = std::bit_cast<float>(static_cast<std::uint32_t>(field.number));
    else return field.number;
    constexpr double kMost = 1e18;
    return std::isfinite(real) && real > 0 && real < kMost ? static_cast<std::uint64_t>(real) : 0;
  }

  void read_metadata(std::string_view bytes) {
    WireReader in(bytes);
    while (!in.at_end()) {
      const WireField field = field_of(in);
      if (field.field != kMetadataAttr || field.type != 2) continue;
      const Attribute one = attribute(field.text);
      constexpr std::string_view kOurs = "rankscope_";
      if (one.name.starts_with(kOurs))
        out_.facts.emplace_back(one.name.substr(kOurs.size()), one.text);
    }
  }

  struct Node {
    std::uint64_t id = 0, type = 0, duration = 0;
    std::string_view name;
    std::vector<std::uint64_t> waits;
    std::map<std::string_view, std::uint64_t> attributes;
  };
  void add_waits(const WireField& field, Node& node) const {
    if (field.type == 0) return node.waits.push_back(field.number);
    WireReader in(field.text);
    while (!in.at_end()) {
      const auto one = in.varint();
      if (!one) fail(fmt::format("the waits of node {} are cut", node.id));
      node.waits.push_back(*one);
    }
  }
  Node node_of(std::string_view bytes) const {
    Node out;
    WireReader in(bytes);
    while (!in.at_end()) {
      const WireField field = field_of(in);
      switch (field.field) {
        case kNodeId: out.id = field.number; break;
        case kNodeName: out.name = field.text; break;
        case kNodeType: out.type = field.number; break;
        case kNodeDuration: out.duration = field.number; break;
        case kNodeControlDeps:
        case kNodeDataDeps: add_waits(field, out); break;
        case kNodeAttr: {
          const Attribute one = attribute(field.text);
          out.attributes[one.name] = one.number;
          break;
        }
        default: break;
      }
    }
    return out;
  }
  std::uint64_t need(const Node& node, std::string_view name, std::uint64_t most) const {
    const auto found = node.attributes.find(name);
    if (found == node.attributes.end())
      fail(fmt::format("node {} (\"{}\") has no attribute {}", node.id,
                       escaped(node.name.substr(0, 60)), name));
    if (found->second > most)
      fail(fmt::format("{} of node {} is {}: 0 to {} can be", name, node.id, found->second, most));
    return found->second;
  }
  void read_node(std::string_view bytes) {
    const Node node = node_of(bytes);
    if (node.type == kMetadata) {
      skipped_[node.id] = true;
      return;
    }
    if (node.type == kCollective)
      fail(
          fmt::format("node {} is a whole collective: choose a trace of sends and receives, such "
                      "as that of an algorithm",
                      node.id));
    ScheduleOperation one;
    one.label = node.name;
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62, kMostPeer = 1 << 20,
                            kMostTag = 0x7fffffff;
    if (node.type == kSend || node.type == kReceive) {
      const bool send = node.type == kSend;
      one.kind = send ? ScheduleOperation::send : ScheduleOperation::receive;
      one.bytes = need(node, "comm_size", kMostBytes);
      one.tag = node.attributes.contains("comm_tag")
                    ? static_cast<int>(need(node, "comm_tag", kMostTag))
                    : 0;
      one.peer = static_cast<Rank>(need(node, send ? "comm_dst" : "comm_src", kMostPeer));
      if (one.peer == rank_) fail(fmt::format("node {} sends to its own rank", node.id));
    } else {
      const auto exact = node.attributes.find("rankscope_time_ns");
      if (node.duration > kMostBytes / 1000)
        fail(fmt::format("node {} takes {} microseconds", node.id, node.duration));
      one.time_ns = exact != node.attributes.end() ? exact->second : node.duration * 1000;
      if (const auto ops = node.attributes.find("num_ops"); ops != node.attributes.end())
        one.bytes = ops->second;
    }
    if (out_.operations.size() == kMostNodes) fail("the trace has more than 20 million nodes");
    if (!numbers_.emplace(node.id, static_cast<int>(out_.operations.size())).second)
      fail(fmt::format("node {} is there twice", node.id));
    ids_.push_back(node.id);
    waits_.push_back(node.waits);
    out_.operations.push_back(std::move(one));
  }

  WireReader in_;
  const std::string& file_;
  const Rank rank_;
  RankOperations out_;
  std::map<std::uint64_t, int> numbers_;  // by id
  std::map<std::uint64_t, bool> skipped_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::vector<std::uint64_t>> waits_;
};

}  // namespace

std::string write_chakra(const OperationFile& in, Rank rank) {
  const RankOperations& ours = in.ranks[static_cast<std::size_t>(rank)];
  WireWriter metadata, out;
  metadata.text(kMetadataVersion, "0.0.4");
  add_facts(metadata, in.facts);
  add_facts(metadata, ours.facts);
  out.delimited(metadata.bytes());
  for (std::size_t k = 0; k < ours.operations.size(); ++k)
    out.delimited(node_bytes(ours.operations[k], k, rank));
  return out.bytes();
}

void read_chakra(std::string_view bytes, const std::string& file, OperationFile& out) {
  out.ranks.push_back(ChakraReader(bytes, file, static_cast<Rank>(out.ranks.size())).read());
  if (out.ranks.size() == 1) out.facts = out.ranks.front().facts;
}

}  // namespace rankscope
