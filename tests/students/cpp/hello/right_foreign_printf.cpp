#include <cstdio>

#include <rankscope.hpp>

void hello(rankscope::Communicator& comm, const std::string& name) {
  std::printf("Rank %d: Hello, %s!\n", comm.rank(), name.c_str());
}
