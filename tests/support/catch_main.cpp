// The only main() of the tests: it is the same for Catch2 v2 (whose single header also brings its
// implementation here) and v3.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_RUNNER
#endif
#include "tests/support/catch.h"

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
