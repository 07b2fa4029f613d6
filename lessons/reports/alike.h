// Finds programs of a class that are too alike, for a person to judge.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/text/code_spans.h"

namespace rankscope {

/// A word of a program; renaming, comments and layout do not change it.
struct CodeToken {
  std::size_t word =
      0;  ///< A hash: names, numbers and texts are each one word; keywords and signs are themselves.
  std::size_t line = 0;            ///< From 0.
  std::size_t begin = 0, end = 0;  ///< Bytes of the line.
};
/// Returns the tokens, without comments, layout, and texts that stand alone (docstrings).
std::vector<CodeToken> code_tokens(const std::vector<std::string>& lines, CodeLanguage language);

struct AlikeOptions {
  /// Passages of fewer than `least` tokens are ignored, and all of `sure` or more are found (the k and t of winnowing,
  /// section 3).
  std::size_t least = 12, sure = 20;
  double share = 0.6;       ///< The share of one program's own tokens from which a pair is listed.
  std::size_t tokens = 60;  ///< The least number of own tokens, in common and of each program.
  /// In classes of at least this many programs, passages that more than half of them have are nobody's own.
  std::size_t large_class = 6;
};

struct AlikeProgram {
  std::string student, folder, file;
  std::vector<std::string> lines;
  CodeLanguage language = CodeLanguage::python;
};

/// The same tokens in both programs: lines from 0, the last one included.
struct AlikePassage {
  std::size_t first_a = 0, last_a = 0, first_b = 0, last_b = 0;
  std::size_t tokens = 0;
};

struct AlikePair {
  std::size_t a = 0, b = 0;  ///< Programs.
  double share_a = 0,
         share_b = 0;      ///< The shares of each one's own tokens that the other has, too.
  std::size_t tokens = 0;  ///< Own tokens in common.
  std::vector<AlikePassage> passages;  ///< The longest first.
  double share() const noexcept { return share_a > share_b ? share_a : share_b; }
};

/// Returns the pairs, the most alike first. `given` are texts that everybody had (the starter): passages in them are
/// nobody's own. Candidates come from fingerprints by winnowing (Schleimer, Wilkerson, Aiken: Winnowing: local algorithms
/// for document fingerprinting, SIGMOD 2003), as in MOSS; common passages come from tiling, longest first (Wise: Running
/// Karp-Rabin matching and greedy string tiling, 1993).
std::vector<AlikePair> alike_pairs(const std::vector<AlikeProgram>& programs,
                                   const std::vector<AlikeProgram>& given,
                                   const AlikeOptions& options = {});

/// An exercise of a course with its pairs.
struct AlikeExercise {
  std::string key, title;
  std::vector<AlikeProgram> programs;
  std::vector<AlikePair> pairs;
};
/// Returns one page: a table, and below it each pair side by side with its passages marked and numbered.
std::string alike_html(const std::vector<AlikeExercise>& exercises, std::string_view course);

}  // namespace rankscope
