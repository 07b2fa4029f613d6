// A communicator and its requests for ranks whose verbs run on a RankContext of this process.
#pragma once

#include <string>
#include <vector>

#include "engine/capi/direct_port.h"

namespace rankscope::capi {

class DirectRequest : public PortRequest {
 public:
  DirectRequest(ContextPort& port, Communicator& comm, Request request, Slice data, bool send,
                bool blocking);
  ~DirectRequest() override;
  bool wait(Deadline deadline, rs_status& status, const Site& where) override;
  bool test() override;
  Request* request() noexcept { return &request_; }
  Communicator& comm() noexcept { return comm_; }
  /// Returns whether a send's memory was written to before the send was waited for.
  void report_changed_data(const Site& where);
  /// Drops the request because the program is gone, or forgot it.
  void drop() noexcept;

 private:
  void look_for_changes(const Site& where);
  ContextPort& port_;
  Communicator& comm_;
  Request request_;
  const Slice data_;
  const bool send_, blocking_;
  std::uint64_t contents_ = 0;  ///< A hash from the posting of a send that is waited for later.
};

struct BuiltInRecord {
  int number = 0;
  Slice data;
  ReduceOp op = ReduceOp::sum;
  Rank root = kAnyRank;
};

/// A built-in collective on a strand of its own.
class DirectWork : public PortRequest {
 public:
  /// `name` is the name of its phase; `stack` the place of the call.
  DirectWork(ContextPort& port, Communicator& comm, Work work, Slice out, BuiltInRecord call,
             std::string name, std::vector<CallSite> stack);
  ~DirectWork() override;
  bool wait(Deadline deadline, rs_status& status, const Site& where) override;
  bool test() override;
  bool when_done(const std::function<void(bool failed)>& then) override;
  /// Drops the collective because the program is gone, or forgot it.
  void drop() noexcept;

 private:
  ContextPort& port_;
  Communicator& comm_;
  Work work_;
  const Slice out_;
  const BuiltInRecord call_;
  const std::string name_;
  const std::vector<CallSite> stack_;
  bool waited_ = false;    ///< Waited for, or known to be done.
  bool recorded_ = false;  ///< Its return is in the trace.
};

class DirectComm : public PortComm {
 public:
  DirectComm(ContextPort& port, Communicator comm) : port_(port), comm_(std::move(comm)) {}

  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  int world_rank(int rank) const override {
    return rank < 0 || rank >= comm_.size() ? -1 : comm_.world_rank(rank);
  }
  PortRequestPtr isend(int to, const rs_memory& memory, int tag, unsigned flags,
                       const Site& where) override;
  PortRequestPtr irecv(int from, const rs_memory& memory, int tag, unsigned flags,
                       const Site& where) override;
  bool probe(int from, int tag, rs_status& status) override;
  PortRequestPtr collective(const rs_call& call, bool async, const Site& where) override;
  std::unique_ptr<PortComm> split(int color, int key, const char* call, const Site& where) override;
  std::unique_ptr<PortComm> group(const std::vector<int>& ranks, const std::string& key,
                                  const char* call, const Site& where) override;
  void phase_begin(const char* name, const Site& where) override;
  void phase_end() override;
  void watch(const rs_memory& memory, const Site& where) override;
  void note(int note, int peer, const Site& where) override;
  Communicator& comm() noexcept { return comm_; }

 private:
  ContextPort& port_;
  Communicator comm_;
  std::optional<Communicator> built_in_;
  std::vector<Communicator::Phase> phases_;
  int calls_ = 0;
};

}  // namespace rankscope::capi
