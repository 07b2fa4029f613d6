// The program's own messages for the rules of a schedule, in an order that is the same in each run of the program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/analysis/rules/rules.h"

namespace rankscope::rules {

/// A message of the program's own.
struct Message {
  Rank from = -1, to = -1;
  std::uint64_t bytes = 0;
  int round = 0;
  int nth = 0;  ///< Its rank's first send is 1.
  std::uint64_t sent = kNoEvent, received = kNoEvent;
  OpId send = 0;
};

/// The messages of one case, with questions of the rules about them.
class ProgramMessages {
 public:
  /// The arguments must outlive it.
  ProgramMessages(const TraceAnalysis& analysis, const Rule& rule, const ExerciseCase& asked,
                  const RuleEvidence& evidence);

  const Trace& trace;
  const ExerciseCase& asked;
  const RuleEvidence& evidence;
  std::vector<Message> messages;                ///< By round, sender, program order.
  std::vector<std::vector<std::size_t>> sent;   ///< By rank, in program order: indices of messages.
  std::vector<std::vector<std::size_t>> taken;  ///< By rank, in order of arrival.
  int rounds = 0;
  bool gaps = false;  ///< Events were lost, so there may be more messages.

  /// Returns whether the receiver of `arrived` sent the other message only after that one had reached it.
  bool before(const Message& arrived, const Message& sent_after) const noexcept;
  /// Returns whether an event is the program's own and belongs to the case.
  bool counts(std::uint64_t event) const;
  RuleResult broken(const Message& at, std::string says) const;
  RuleResult broken(std::uint64_t event, std::string says) const;
  RuleResult broken(std::string says) const;
  /// Returns all ranks' first messages, then all second ones, and so on.
  std::vector<const Message*> by_place() const;

 private:
  const bool built_ins_;
};

/// The first of several faults: of the lowest step, then of the lowest rank.
class FirstFault {
 public:
  explicit FirstFault(const ProgramMessages& facts) : facts_(facts) {}
  void add(int step, const Message& at, std::string says);
  void missing(
      std::string says);  ///< Adds something that did not happen, which comes after all steps.
  RuleResult result() const;

 private:
  const ProgramMessages& facts_;
  const Message* at_ = nullptr;
  int step_ = 0;  ///< Of `at_`.
  std::string says_;
};

RuleResult check_peers(const ProgramMessages& facts,
                       const Rule& rule);  ///< star, pairs, once, chain ...
RuleResult check_ring(const ProgramMessages& facts, const Rule& rule);
RuleResult check_xor(const ProgramMessages& facts, const Rule& rule);
RuleResult check_tree(const ProgramMessages& facts, const Rule& rule);
RuleResult check_size(const ProgramMessages& facts, const Rule& rule);
RuleResult check_chunk_order(const ProgramMessages& facts, const Rule& rule);
RuleResult check_built_in_calls(const ProgramMessages& facts, const Rule& rule);
RuleResult check_under_way(const ProgramMessages& facts, const Rule& rule);
RuleResult check_groups(const ProgramMessages& facts);
RuleResult check_sends(const ProgramMessages& facts, const Rule& rule);

/// "1 message", "3 messages"
std::string messages_text(double count);
/// A limit as people write it: no ".0".
std::string limit_text(double limit);

}  // namespace rankscope::rules
