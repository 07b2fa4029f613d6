// A coding exercise as its lesson states it: the program that is handed in, its calls, and the rules that judge it.
// lessons/README.md describes the keys.
#pragma once

#include <filesystem>
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

/// The call of a student's program, with its arguments.
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
  std::string platform;                  ///< "torch", "ray" or "mpi"
  std::optional<Collective> collective;  ///< Decides which values are right.
  /// The roots of a broadcast, each in runs of its own; rank 0 when there are none, every rank with `all_sources`.
  std::vector<Rank> sources;
  bool all_sources = false;
  /// The scatter_dim and gather_dim of an all-to-all, with every shape that they fit.
  std::vector<std::pair<int, int>> dims;
  bool in_place = false;  ///< The result replaces the argument, which otherwise keeps its values.
  bool returns = true;    ///< The result is returned.
  /// Only the returned tensor counts, be it the argument or a new one; the argument may change.
  bool either = false;
  bool result_in_argument() const noexcept { return in_place && !either; }
  std::vector<int> worlds;
  std::vector<std::string> shapes;  ///< "4N", "2N x 3": formulas in N.
  std::vector<DType> dtypes;
  bool non_contiguous = false;  ///< Adds runs whose arguments are views with gaps.
  bool slow_ranks = false;      ///< Adds runs in which some ranks begin late.
  /// An argument beside the data: its name and its values (formulas in N; run k takes value k).
  std::string parameter;
  std::vector<std::string> parameter_values;
  std::vector<std::string> tensors;  ///< Shapes of the tensors, where the argument is a list.
  bool computes =
      false;  ///< The tensors are empty until compute(i), the last argument, fills tensor i.
  bool powers_of_two = false;  ///< The program need not work for other numbers of ranks.
  // A Transformer block: its heads (run k takes the k-th), and the width between FC1 and FC2.
  std::vector<std::string> heads;  ///< "2N": formulas in N.
  std::string inner;
  // A training.
  int hidden = 0, batch_size = 0, steps = 0;
  int test_pictures = 0;
  double step_size = 0;
  int line = 0;
};
std::string_view to_string(CodingCall::Harness harness) noexcept;

/// A rule of the exercise, whose limits are computed for each run.
struct CodingRule {
  /// `values` to `losses` judge what the caller of the program sees, `imports` and `calls` its text, `trace` its messages.
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
  std::string kind;  ///< As the lesson writes it.
  std::string name;  ///< The name that `defining` uses; by default the kind.
  Rule rule;         ///< Its limits are not set; rule_for() sets them.
  std::string exactly, at_most, at_least,
      where;  ///< Formulas in N, D (bytes), M (elements), E (bytes of one), K (parameter), B (buckets).
  std::vector<std::string>
      allow,         ///< Modules that `imports` allows: "torch"; "torch.nn.*" with all below it.
      forbid;        ///< Functions that `calls` forbids: "isend".
  std::string says;  ///< What a right program does, for the report.
  double points = 0;
  bool required = false;  ///< A program that breaks it gets no points for the exercise.
  bool remark =
      false;  ///< Gives no points: the report remarks on a program that keeps it in all runs.
  /// The points follow the share of the runs (world x type x layout) in which it is kept; otherwise all or nothing.
  bool partial = true;
  bool bonus = false;       ///< Its points come on top of the exercise's.
  std::vector<int> worlds;  ///< The world sizes that it applies to; all when empty.
  int line = 0;

  bool of_text() const noexcept { return judge == Judge::imports || judge == Judge::calls; }
};

/// The share of the points that a program of another algorithm may get.
inline constexpr double kMostOfOtherAlgorithm = 0.4;

/// The contract of an exercise, and how it is graded.
struct CodingExercise {
  std::string id, title, contract;
  std::vector<std::string> covers;
  double points = 0;
  std::string starter;             ///< A file beside lesson.toml; empty when there is none.
  bool repair = false;             ///< The starter is a faulty program, to be made right.
  std::vector<std::string> hints;  ///< For a repair, shown one after another.
  std::string file;                ///< The name of the file that students hand in.
  std::string module;              ///< The name by which other files import it; empty: the file's.
  std::string cpp_file;            ///< The same in C++; when empty, `file` with another ending.
  CodingCall call;
  std::vector<CodingRule> rules;
  /// Names of the rules that define the algorithm; a program that breaks one gets kMostOfOtherAlgorithm at most.
  std::vector<std::string> defining;
  bool closed = false;  ///< In a student's copy: its rules' kinds could give an answer away.
  int line = 0;
  bool defines(const CodingRule& rule) const noexcept;
  bool graded() const noexcept { return !rules.empty(); }
};

/// Reads the parts of a `[[coding]]` table that say how it is graded: file, call and rule (in a student's copy a closed text).
void read_coding_rules(TomlNode& node, std::string_view lesson, CodingExercise& exercise);

/// The extents of "4N" or "2N x 3" for a number of ranks. Throws UserError when `text` is no shape of whole numbers.
std::vector<Count> shape_for(std::string_view text, int ranks);
/// Returns whether an all-to-all's dimensions fit a shape: it has both, and the first one's extent is a multiple of `ranks`.
bool dims_fit(const std::vector<Count>& shape, std::pair<int, int> dims, int ranks);

/// The variables that limits are computed from.
struct CodingNumbers {
  int ranks = 1;
  Count count = 0;
  std::uint64_t element_bytes = 4;
  int parameter = 0;
  int buckets = 0;
};
/// The number of buckets of at most `capacity` elements that a call's list of tensors fills in order; a larger tensor has a
/// bucket of its own. 0 when the call has no list.
int buckets_of(const CodingCall& call, Count capacity);
/// The variables of all runs that the call asks for. Throws UserError for a text that is no shape.
std::vector<CodingNumbers> numbers_of(const CodingCall& call);
/// The rule with its limits for a run; nothing where its `where` or `worlds` exclude the run. Throws UserError for a
/// formula without a value.
std::optional<Rule> rule_for(const CodingRule& rule, const CodingNumbers& numbers);

/// The form that a student's program in C++ has.
struct CppContract {
  std::string file;  ///< "my_broadcast.cpp"
  std::string
      signature;  ///< "template <class T>\nvoid my_broadcast(rankscope::Communicator& comm, ...)"
  std::string arguments;  ///< Members of `given` in lessons/cpp/contract.cpp.
};

/// The form of a program in C++; nothing for an exercise in Python alone.
std::optional<CppContract> cpp_contract(const CodingExercise& exercise);

/// The file, headers and signature in words, for the exercise's page; empty for an exercise in Python alone.
std::string cpp_words(const CodingExercise& exercise);

/// A file to start from in C++, with the function that is asked for; empty for an exercise in Python alone.
std::string cpp_starter(const CodingExercise& exercise);

/// The file of a submission's folder that is graded: the exercise's, else the one in C++; empty when there is neither.
std::string handed_in(const CodingExercise& exercise, const std::filesystem::path& folder);
/// Returns whether a file is a program in C++.
bool is_cpp(std::string_view file) noexcept;

}  // namespace rankscope
