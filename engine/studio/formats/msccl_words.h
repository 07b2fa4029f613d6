// The words of MSCCL's XML, for its reader and its writer.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/studio/tasks/task_graph.h"

namespace rankscope {

struct MscclStepType {
  std::string_view name;
  std::uint8_t parts;
};
/// "re" adds its source to its target; of the others with a receive, what comes is added to the source.
inline constexpr auto kMscclStepTypes = std::to_array<MscclStepType>({
    {"s", ScheduleTask::sends},
    {"r", ScheduleTask::receives | ScheduleTask::stores},
    {"rrc", ScheduleTask::receives | ScheduleTask::reduces | ScheduleTask::stores},
    {"rrs", ScheduleTask::receives | ScheduleTask::reduces | ScheduleTask::sends},
    {"rcs", ScheduleTask::receives | ScheduleTask::stores | ScheduleTask::sends},
    {"rrcs",
     ScheduleTask::receives | ScheduleTask::reduces | ScheduleTask::stores | ScheduleTask::sends},
    {"cpy", ScheduleTask::stores},
    {"re", ScheduleTask::reduces | ScheduleTask::stores},
    {"nop", 0},
});

struct MscclMemory {
  std::string_view name;
  ChunkMemory memory;
};
inline constexpr auto kMscclMemories = std::to_array<MscclMemory>(
    {{"i", ChunkMemory::input}, {"o", ChunkMemory::output}, {"s", ChunkMemory::scratch}});

}  // namespace rankscope
