// Coding exercises as a lesson states them: what is handed in, how it is called, by which rules it is
// judged. lessons/README.md describes the keys.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/analysis/rules/rules.h"
#include "engine/core/base/collective.h"
#include "engine/core/base/types.h"
#include "engine/toml/toml_source.h"
#include "lessons/formula/formula.h"

namespace rankscope {

/// How the program that was handed in is called, and with what.
struct CodingCall {
  enum class Harness : std::uint8_t {
    function,         ///< function(tensor, ...) on every rank
    worker,           ///< Worker(world_size, rank, group_name).function(), with its msg and buf
    hello,            ///< function(rank, world_size, name): what it prints
    send_recv,        ///< Worker's do_send, do_recv and do_send_recv
    pass_it_on,       ///< function(rank, world_size, value)
    tensor_parallel,  ///< A Transformer block's init_tensor_parallel_shards() and function(x)
    ulysses,          ///< The same block's function(own part of x)
    sgd,              ///< function(model, inputs, targets, batch_size, step_size, steps)
    lenet  ///< function(model, train, test, batch_size, step_size, steps, after_step), on LeNet-5
  };
  Harness harness = Harness::function;
  std::string function;
  std::string platform;                  ///< "torch", "ray" or "mpi".
  std::optional<Collective> collective;  ///< What to do, for the values.
  /// Of a broadcast: each of them is the source once. Empty: rank 0; all_sources: every rank.
  std::vector<Rank> sources;
  bool all_sources = false;
  /// Of an all-to-all: scatter_dim and gather_dim, with every shape that they fit.
  std::vector<std::pair<int, int>> dims;
  bool in_place = false;  ///< The result is in the argument; else the argument keeps its values.
  bool returns = true;    ///< The result is returned.
  std::vector<int> worlds;
  std::vector<std::string> shapes;  ///< "4N", "2N x 3": formulas in N.
  std::vector<DType> dtypes;
  bool non_contiguous = false;  ///< Also with arguments that are views with gaps.
  bool slow_ranks = false;      ///< Also with ranks that begin late.
  /// What is given beside the data: its name, and its values (formulas in N; the k-th run takes the k-th).
  std::string parameter;
  std::vector<std::string> parameter_values;
  std::vector<std::string> tensors;  ///< The argument is a list of tensors of these shapes.
  bool computes =
      false;  ///< It is empty at first, and compute(i), the last argument, fills tensor i.
  bool powers_of_two = false;  ///< Only numbers of ranks that are powers of two are asked for.
  // Of a Transformer block: its heads (the k-th run takes the k-th), and the width between FC1 and FC2.
  std::vector<std::string> heads;  ///< "2N": formulas in N.
  std::string inner;
  // Of a training.
  int hidden = 0, batch_size = 0, steps = 0;
  int test_pictures = 0;
  double step_size = 0;
  int line = 0;
};
std::string_view to_string(CodingCall::Harness harness) noexcept;

/// A rule of the exercise, with limits still to be computed.
struct CodingRule {
  /// values to losses: of what the caller of the program sees; imports, calls: of its text, without a run; else a
  /// rule on the trace.
  enum class Judge : std::uint8_t {
    values,
    ends,
    log,
    argument,
    shards,
    batches,
    agree,
    accuracy,
    adds,
    losses,
    imports,
    calls,
    trace
  };
  Judge judge = Judge::trace;
  std::string kind;  ///< As written.
  std::string name;  ///< What `defining` calls it; without one, its kind.
  Rule rule;         ///< Without its limits.
  std::string exactly, at_most, at_least,
      where;  ///< Formulas in N, D (bytes), M (elements), E (bytes of one), K (parameter), B (buckets).
  std::vector<std::string>
      allow,         ///< Modules, of imports: "torch"; "torch.nn.*" with all below it.
      forbid;        ///< Names of functions, of calls: "isend".
  std::string says;  ///< For the report: what is right.
  double points = 0;
  bool required = false;  ///< Broken: no points for the exercise.
  bool remark = false;    ///< No rule: it is said of a program that keeps it in all runs.
  /// In part, by the share of the runs (world x type x layout) in which it is kept; else all or nothing.
  bool partial = true;
  bool bonus = false;       ///< Its points come on top of the exercise's.
  std::vector<int> worlds;  ///< Only of these; empty: of all.
  int line = 0;

  bool of_text() const noexcept { return judge == Judge::imports || judge == Judge::calls; }
};

/// The share of the points that a program of another algorithm may get.
inline constexpr double kMostOfOtherAlgorithm = 0.4;

/// The contract of an exercise, and how it is graded where code is run.
struct CodingExercise {
  std::string id, title, contract;
  std::vector<std::string> covers;
  double points = 0;
  std::string starter;             ///< A file beside lesson.toml; may be empty.
  bool repair = false;             ///< The starter is a faulty program, to be made right.
  std::vector<std::string> hints;  ///< Of a repair, one after another.
  std::string file;                ///< What students hand in: the name of their file.
  std::string cpp_file;            ///< The same in C++; empty: `file` with another ending.
  CodingCall call;
  std::vector<CodingRule> rules;
  /// Names of the rules that say what the algorithm is: a program that breaks them gets kMostOfOtherAlgorithm at most.
  std::vector<std::string> defining;
  int line = 0;
  bool defines(const CodingRule& rule) const noexcept;
  bool graded() const noexcept { return !rules.empty(); }
};

/// The parts of a `[[coding]]` table that say how it is graded: file, call and rule.
void read_coding_rules(TomlNode& node, CodingExercise& exercise);

/// "4N", "2N x 3" for a number of ranks. Throws UserError for what is no shape, or none of whole numbers.
std::vector<Count> shape_for(std::string_view text, int ranks);
/// Whether an all-to-all's dimensions fit a shape: both are there, and the first is a multiple of the
/// number of ranks.
bool dims_fit(const std::vector<Count>& shape, std::pair<int, int> dims, int ranks);

/// What limits are computed from.
struct CodingNumbers {
  int ranks = 1;
  Count count = 0;
  std::uint64_t element_bytes = 4;
  int parameter = 0;
  int buckets = 0;
};
/// How many buckets of at most `capacity` elements a call's list of tensors needs when they are filled in order; a larger
/// tensor has one of its own. 0: it has no list.
int buckets_of(const CodingCall& call, Count capacity);
/// Of all runs that the call asks for. Throws UserError for shapes that are none.
std::vector<CodingNumbers> numbers_of(const CodingCall& call);
/// The rule for a run; nothing where its `where` or `worlds` leave this one out. Throws UserError for
/// formulas that give no number.
std::optional<Rule> rule_for(const CodingRule& rule, const CodingNumbers& numbers);

/// What reading cannot see: formulas for all worlds and shapes, points that do not add up, a harness
/// that lacks what it needs, a starter without the function; in lessons from edition 2 on, no defining rule.
void check_coding(const CodingExercise& exercise, const std::filesystem::path& folder,
                  const std::string& file, Complaints& complaints, int edition = 2);

}  // namespace rankscope
