// The table of transports: complete rows, and links made by the row that bears the name.
#include "transports/factory.h"

#include <set>

#include "engine/core/base/error.h"
#include "engine/core/base/fd.h"
#include "engine/core/message/network_link.h"
#include "tests/support/catch.h"
#include "tests/transports/zeromq_world.h"

using namespace rankscope;
using namespace rankscope::test;

TEST_CASE("transports have rows that are complete and agree with themselves") {
  std::set<std::string_view> names;
  for (const Transport& one : transports()) {
    CAPTURE(one.name);
    CHECK(names.insert(one.name).second);
    CHECK_FALSE(one.about.empty());
    CHECK(one.processes == (one.make != nullptr));
    if (!one.processes) CHECK_FALSE((one.several_hosts || one.stepped));
    if (one.virtual_time) CHECK_FALSE(one.processes);
    if (one.make_memory != nullptr) CHECK((one.processes && !one.several_hosts));
    CHECK(find_transport(one.name) == &one);
  }
  CHECK(require_transport(kDefaultTransport).processes);
  CHECK_FALSE(require_transport(kThreadTransport).processes);
  CHECK(joining_transport().several_hosts);
}

TEST_CASE("transports between processes make links, each of its own kind") {
  const TemporaryFolder dir;
  for (const Transport& one : transports()) {
    CAPTURE(one.name);
    auto config = link_config("ipc", 0, 1, dir);
    config.transport = one.name;
    if (one.make_memory != nullptr) config.memory_fd = one.make_memory(1).release();
    if (one.processes) CHECK(make_link(config)->endpoint().starts_with(one.name));
    else
      CHECK_THROWS_WITH(
          make_link(config),
          Catch::Matchers::StartsWith(fmt::format(
              "the transport {} makes no links between processes: choose one of ipc, tcp",
              one.name)));
  }
}

TEST_CASE("transports can be asked for by what they can do") {
  CHECK(transport_names(", ").starts_with("ipc, tcp, inproc, sim, shm"));
  CHECK(transport_names(" or ", &Transport::stepped).starts_with("ipc or tcp or shm"));
  CHECK(transport_list(&Transport::several_hosts) == std::vector<std::string>{"tcp"});
  CHECK(transport_can("tcp", &Transport::several_hosts));
  CHECK_FALSE(transport_can("pigeon", &Transport::processes));
  CHECK_THROWS_AS(require_transport("pigeon"), UserError);
}
