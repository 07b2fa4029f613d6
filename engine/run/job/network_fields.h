// The rows of a job's fields that are about a simulated network.
#pragma once

#include <vector>

#include "engine/run/job/job_fields.h"

namespace rankscope {

void add_network_fields(std::vector<JobField>& rows);

}  // namespace rankscope
