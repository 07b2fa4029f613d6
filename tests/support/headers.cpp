// The tests' precompiled header (tests/CMakeLists.txt) belongs to this program, because it has to be compiled
// as a program's sources are.
int main() {}
