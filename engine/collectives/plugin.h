// How a source file becomes a plug-in: the last part of the installed rankscope_algorithm.hpp. A plug-in is compiled
// against the headers that the built-in algorithms are written with (plugin_header.cmake lists them).
#pragma once

#include "engine/collectives/algorithm.h"
#include "engine/collectives/ring.h"

namespace rankscope {

/// An algorithm of a plug-in, with the text of its source as it was compiled.
struct PluginAlgorithm {
  Algorithm algorithm;  ///< Its name without the collective.
  const char* file;
  const char *text, *text_end;
};

/// What a plug-in returns from rankscope_plugin(). Its layout is the same in every version, so that `abi` can be read.
struct PluginExports {
  const char* abi;
  const PluginAlgorithm *const *first, *const *last;
};

}  // namespace rankscope

// What must be equal on both sides: the headers' text, and what decides the layout of the standard library's types.
#define RANKSCOPE_TEXT_OF(X) #X
#define RANKSCOPE_TEXT(X) RANKSCOPE_TEXT_OF(X)
#ifdef _GLIBCXX_DEBUG
#define RANKSCOPE_DEBUG_TYPES ", _GLIBCXX_DEBUG"
#else
#define RANKSCOPE_DEBUG_TYPES ""
#endif
#ifdef _LIBCPP_VERSION
#define RANKSCOPE_LIBRARY "libc++ " RANKSCOPE_TEXT(_LIBCPP_ABI_VERSION)
#else
#define RANKSCOPE_LIBRARY "libstdc++ ABI " RANKSCOPE_TEXT(_GLIBCXX_USE_CXX11_ABI)
#endif
#define RANKSCOPE_ABI \
  "headers " RANKSCOPE_PLUGIN_HEADERS ", " RANKSCOPE_LIBRARY RANKSCOPE_DEBUG_TYPES

/// RANKSCOPE_ALGORITHM(allreduce, mine, .title = "my ring") makes the function allreduce_mine(Communicator&, const
/// Args&), which is declared before it, the algorithm allreduce.mine. Members of Algorithm may follow the name, in this
/// order: .title, .best_use, .source, .rounds, .busiest_bytes, .features.
#define RANKSCOPE_ALGORITHM(COLLECTIVE, NAME, ...)                                                \
  __asm__(".pushsection .rodata\n.globl rankscope_text_" #COLLECTIVE "_" #NAME                    \
          "\n.hidden rankscope_text_" #COLLECTIVE "_" #NAME "\nrankscope_text_" #COLLECTIVE       \
          "_" #NAME ":\n.incbin \"" __FILE__ "\"\n.globl rankscope_end_" #COLLECTIVE "_" #NAME    \
          "\n.hidden rankscope_end_" #COLLECTIVE "_" #NAME "\nrankscope_end_" #COLLECTIVE         \
          "_" #NAME ":\n.byte 0\n.popsection");                                                   \
  extern "C" {                                                                                    \
  extern const char rankscope_text_##COLLECTIVE##_##NAME[] __attribute__((visibility("hidden"))); \
  extern const char rankscope_end_##COLLECTIVE##_##NAME[] __attribute__((visibility("hidden")));  \
  }                                                                                               \
  static const ::rankscope::PluginAlgorithm rankscope_row_##COLLECTIVE##_##NAME{                  \
      {.name = #NAME,                                                                             \
       .collective = ::rankscope::Collective::COLLECTIVE,                                         \
       .run = COLLECTIVE##_##NAME __VA_OPT__(, ) __VA_ARGS__},                                    \
      __FILE__,                                                                                   \
      rankscope_text_##COLLECTIVE##_##NAME,                                                       \
      rankscope_end_##COLLECTIVE##_##NAME};                                                       \
  __attribute__((used,                                                                            \
                 section("rankscope_rows"))) static const ::rankscope::PluginAlgorithm* const     \
      rankscope_at_##COLLECTIVE##_##NAME = &rankscope_row_##COLLECTIVE##_##NAME

#ifdef RANKSCOPE_PLUGIN_HEADERS  // in a plug-in, not in rankscope itself
extern "C" {
// The linker's names for the ends of the section.
extern const ::rankscope::PluginAlgorithm* const __start_rankscope_rows[]
    __attribute__((weak, visibility("hidden")));
extern const ::rankscope::PluginAlgorithm* const __stop_rankscope_rows[]
    __attribute__((weak, visibility("hidden")));
// By value: a static variable of an inline function would be one for all plug-ins of a process.
__attribute__((used, visibility("default"))) inline ::rankscope::PluginExports rankscope_plugin() {
  return {RANKSCOPE_ABI, __start_rankscope_rows, __stop_rankscope_rows};
}
}
#endif
