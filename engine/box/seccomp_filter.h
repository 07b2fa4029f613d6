// The system calls that a boxed program may not make.
#pragma once

#include <string>

namespace rankscope {

/// The filter as the kernel takes it (BPF). Everything is allowed but a list: what reaches into other
/// processes, makes namespaces or mounts, opens sockets other than local ones, keeps memory that no
/// process shows, or is a large and rarely needed part of the kernel. Throws UserError when libseccomp
/// cannot make it.
std::string seccomp_filter();

}  // namespace rankscope
