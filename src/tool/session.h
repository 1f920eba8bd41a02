// tool/session.h
//
// One conversation with one agent: what it may point at, what it remembers, and the calls and jobs
// that end with it. Loop thread only.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <typeindex>

#include "base/time.h"
#include "tool/cancellation.h"
#include "tool/jobs.h"

namespace helve::tool {

// Lives in a shared_ptr, so that what works for it can keep it.
class Session : public std::enable_shared_from_this<Session> {
 public:
  // kShared: many conversations of one principal (HTTP without sessions); it keeps no implicit
  // state, such as remembered approvals (decisions, section 1).
  enum class Memory { kOwn, kShared };

  // With a fresh random id. `principal` is who the client is, as far as is known; the id if empty.
  explicit Session(Memory memory = Memory::kOwn, std::string principal = "");
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::string& id() const { return id_; }
  const std::string& principal() const { return principal_; }
  bool remembers() const { return memory_ == Memory::kOwn; }

  // When a call of it last ended, and whether somebody waits for one.
  Clock::time_point used() const { return used_; }
  bool in_use() const { return waited_for_ > 0; }
  // Somebody waits for a call, until the Use is gone.
  class Use {
   public:
    explicit Use(Session& session) : session_(session) { ++session_.waited_for_; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() {
      --session_.waited_for_;
      session_.used_ = Clock::now();
    }

   private:
    Session& session_;
  };

  // A running call, which the session's end cancels; a detached one only the host's end does. In a
  // session that has ended, a call is cancelled at once.
  void open_call(std::shared_ptr<Cancellation> call, bool detached = false);
  void close_call(const std::shared_ptr<Cancellation>& call);
  size_t open_calls() const { return calls_.size(); }

  // The handles that this session minted, such as run_...; beyond 1,000 the oldest are forgotten.
  void own(std::string handle);
  bool owns(std::string_view handle) const;
  const std::deque<std::string>& handles() const { return handles_; }

  Jobs& jobs() { return jobs_; }

  // What a capability keeps for this session, such as the files that it has read: made on first
  // use, and gone with the session.
  template <typename Record>
  Record& record() {
    auto& kept = records_[typeid(Record)];
    if (!kept) kept = std::make_shared<Record>();
    return *static_cast<Record*>(kept.get());
  }

  // Digests of what a person allowed for the whole session; none if it does not remember.
  void remember(const std::string& digest);
  bool remembered(const std::string& digest) const { return approved_.contains(digest); }
  // How often in a row the client said no for its person.
  size_t declined_in_a_row = 0;

  // Cancels every open call with `grace`, at the end of the host the detached ones too.
  void end(Duration grace, bool host_ends = false);
  bool ended() const { return ended_.has_value(); }
  // Runs once no call is open any more; at once if that is so already. One at a time.
  void when_idle(std::function<void()> react);

 private:
  struct Open {
    std::shared_ptr<Cancellation> cancellation;
    bool detached;
  };

  std::string id_, principal_;
  Memory memory_;
  std::optional<Duration> ended_;  // with this grace
  Clock::time_point used_ = Clock::now();
  size_t waited_for_ = 0;
  std::list<Open> calls_;
  std::deque<std::string> handles_;
  Jobs jobs_;
  std::map<std::type_index, std::shared_ptr<void>> records_;
  std::set<std::string, std::less<>> approved_;
  std::function<void()> idle_;
};

}  // namespace helve::tool
