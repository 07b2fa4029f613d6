// Topologies that are generated from a few numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/network/topology.h"

namespace rankscope {

struct FamilyParameter {
  enum class Type : std::uint8_t {
    whole,
    wholes,  ///< A list of them.
    bandwidth,
    time,
    flag,
    duplex,
  };
  std::string_view name;
  Type type = Type::whole;
  std::string_view otherwise;  ///< The default, as one would type it; empty if there is none.
  std::string_view help;
  int least = 0, most = 0;  ///< Bounds of a whole number.
};

/// The values of a call, with the family's defaults for what it leaves out.
class FamilyArguments {
 public:
  /// Throws UserError for a value that is missing, of the wrong type or out of range. The caller refuses unknown names.
  FamilyArguments(std::span<const FamilyParameter> parameters, const FamilyCall& call);

  int whole(std::string_view name) const;
  const std::vector<int>& wholes(std::string_view name) const;
  double number(std::string_view name) const;  ///< A bandwidth or a time.
  bool flag(std::string_view name) const;
  /// Returns a link by the parameters PREFIXbandwidth, PREFIXlatency and, where there is one, `duplex`.
  TopologyLink link(std::string_view prefix = "") const;

 private:
  std::map<std::string, FamilyValue, std::less<>> values_;
};

struct Family {
  std::string_view name, summary;
  std::span<const FamilyParameter> parameters;
  /// Throws UserError if the topology would be too large.
  Topology (*generate)(const FamilyArguments& arguments);
};

/// Returns all families. A table, no static registration.
std::span<const Family> families();
const Family* find_family(std::string_view name) noexcept;

/// Throws UserError for an unknown family or parameter, with the nearest one. The topology remembers the call.
Topology generate(const FamilyCall& call);

/// Throws UserError for a value of another type, or out of range.
void check_value(const FamilyParameter& parameter, const FamilyValue& value);
/// Returns a value as one would type it: "8", "[4, 4]", "25 GB/s", "1 us", "true".
std::string text_of(const FamilyParameter& parameter, const FamilyValue& value);
/// Returns the value that a text stands for, such as a default. Throws UserError.
FamilyValue value_of(const FamilyParameter& parameter, std::string_view text);

}  // namespace rankscope
