// tool/repeats.h
//
// At most once (decisions, section 1): a call that its caller has named is run one time; who comes
// again with the same name gets the same answer, or waits for it. Kept 24 h, in memory, within
// 1,000 calls and 16 MiB. Loop thread only.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>

#include "base/time.h"
#include "tool/tool.h"

namespace helve::tool {

class Repeats {
 public:
  struct Entry {
    std::string key, digest;
    Clock::time_point at;
    std::optional<Answer> answer;  // none: under way
    size_t bytes = 0;
    std::vector<std::function<void()>> waiting;
  };

  // The call of this name, or null: then it is the first, and `begin` it.
  std::shared_ptr<Entry> find(const std::string& key, Clock::time_point now);
  std::shared_ptr<Entry> begin(std::string key, std::string digest, Clock::time_point now);

  // What is no final answer (a question to the client) is forgotten: the next round runs again. So
  // is a refusal before anything ran: who has put it right may send the same name.
  void finish(const std::shared_ptr<Entry>& entry, const Answer& answer, bool ran);

 private:
  void forget(Clock::time_point now);

  std::list<std::shared_ptr<Entry>> entries_;  // oldest first
  size_t bytes_ = 0;
};

}  // namespace helve::tool
