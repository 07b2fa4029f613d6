// The control plane: the messages between conductor and workers. JSON over one DEALER per worker and the conductor's
// ROUTER.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/core/message/network_link.h"
#include "engine/core/run/job.h"
#include "engine/core/run/outcome.h"
#include "engine/run/step/step_gate.h"

namespace rankscope {

/// Must be raised with every change to the messages below, event batches, frames, or a worker's key file.
inline constexpr int kProtocolVersion = 6;

/// worker -> conductor
///   hello      {version, secret, rank|-1, world_size|-1, pid, host, boot}
///   ready      {endpoint}                        of its data plane
///   heartbeat  {status, events, epoch}
///   standing   {orders, permits, received: [[op id, strand]],
///               strands: [{strand, state, verb, peer, tag, bytes, op, context, file, line,
///                          function, phase, awaits, one_of, hit, rendezvous}]}
///   standstill {epoch, asleep, moves, traffic: [[sent, arrived]], unreceived, strands, round}
///   outcome    {epoch, outcome, usable, traffic}
///   pong       {t0, t}
/// conductor -> worker
///   welcome    {rank, world_size, events, transport, directory}
///   refuse     {reason}                          the worker exits with it
///   peers      {endpoints: [...]}
///   job        {epoch, spec, gate}
///   gate       {closed, delay_us, breakpoints, number, opened}
///   permit     {op}
/// asleep     {round}                           asks whether it still stands still
///   stop       {epoch, reason}
///   ping       {t0}
///   quit       {}
struct ControlMessage {
  std::string type;
  nlohmann::json body;

  std::string encode() const;
  /// Returns nothing for a message that is not of this protocol.
  static std::optional<ControlMessage> decode(std::string_view text);
};

// Jobs and outcomes in messages.
void to_json(nlohmann::json& out, const JobSpec& from);
void from_json(const nlohmann::json& in, JobSpec& into);
void to_json(nlohmann::json& out, const RankOutcome& from);
void from_json(const nlohmann::json& in, RankOutcome& into);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Breakpoint, file, line, phase, rank)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GateOrders, closed, delay_us, breakpoints, number, opened)

/// The information by which a worker finds its conductor: the contents of RANKSCOPE_RENDEZVOUS and of join key files.
struct Rendezvous {
  std::string control;            ///< ZeroMQ endpoint of the control plane.
  std::string secret;             ///< The run's, 16 hex digits.
  std::optional<CurveKeys> keys;  ///< The run's key pair, for runs across hosts.

  /// "SECRET [PUBLIC-KEY SECRET-KEY] ENDPOINT": the endpoint may be a path with spaces.
  std::string to_string() const;
  /// Throws UserError.
  static Rendezvous parse(std::string_view text);
  std::uint64_t secret_number() const;
};

/// boot_id() is shared only by processes of one boot of a machine, whose clocks agree; the host's name if unknown.
std::string host_name();
std::string boot_id();

}  // namespace rankscope
