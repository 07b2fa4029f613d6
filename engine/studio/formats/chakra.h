// Schedules as Chakra's execution traces, a file for each rank, which ASTRA-sim simulates.
#pragma once

#include <string>
#include <string_view>

#include "engine/studio/formats/operations.h"

namespace rankscope {

/// Messages of schema/protobuf/et_def.proto (mlcommons/chakra), each behind its length: one GlobalMetadata, then a Node
/// for each operation. Sends and receives have the attributes comm_size, comm_src, comm_dst and comm_tag, computations
/// num_ops, tensor_size and a duration; waits are data_deps. Our facts are attributes of the metadata.
std::string write_chakra(const OperationFile& in, Rank rank);

/// Adds a rank to `out`; a first one gives it its facts. Nodes of memory count as computations. Errors call it `file`.
/// Throws FormatError with file, node and byte: also for a node that is a whole collective.
void read_chakra(std::string_view bytes, const std::string& file, OperationFile& out);

}  // namespace rankscope
