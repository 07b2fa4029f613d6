// The table of transports, for layers that make no links: lessons, the application's state, options.
#pragma once

#include "transports/factory.h"  // IWYU pragma: export
