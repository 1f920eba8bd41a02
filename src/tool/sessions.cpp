#include "tool/sessions.h"

#include <algorithm>

#include "tool/job_store.h"

namespace helve::tool {
namespace {

using namespace std::chrono_literals;

constexpr Duration kGrace = 500ms;  // the end of a client (decisions, section 5)

bool is_idle(const std::shared_ptr<Session>& session) { return session->open_calls() == 0; }

}  // namespace

Sessions::Sessions() : Sessions(Limits()) {}
Sessions::Sessions(const Limits& limits) : limits_(limits) {}

Result<std::shared_ptr<Session>> Sessions::open(Session::Memory memory, std::string principal) {
  if (open_.size() >= limits_.most && !make_room()) {
    return refuse("session.too_many", {{"limit", std::to_string(limits_.most)}});
  }
  auto session = std::make_shared<Session>(memory, std::move(principal));
  session->jobs().most = limits_.jobs;
  session->jobs().stop_grace = limits_.stop_grace;
  if (store_) session->jobs().keep_in(store_, session->id(), session->principal());
  open_.push_back(session);
  return session;
}

void Sessions::keep_jobs(std::shared_ptr<JobStore> store) { store_ = std::move(store); }

std::vector<std::shared_ptr<Session>> Sessions::all() const {
  std::vector<std::shared_ptr<Session>> all(open_.begin(), open_.end());
  all.insert(all.end(), closed_.begin(), closed_.end());
  return all;
}

void Sessions::limit_jobs(size_t most) {
  limits_.jobs = most;
  for (const auto& session : open_) session->jobs().most = most;
}

bool Sessions::make_room() {
  std::shared_ptr<Session> oldest;
  for (const auto& session : open_) {
    if (is_idle(session) && (!oldest || session->used() < oldest->used())) oldest = session;
  }
  if (oldest) close(oldest, kGrace);
  return oldest != nullptr;
}

void Sessions::close(std::shared_ptr<Session> session, Duration grace) {
  open_.remove(session);
  closed_.remove_if(is_idle);
  session->end(grace);
  if (!is_idle(session)) closed_.push_back(std::move(session));
}

void Sessions::expire(Clock::time_point now) {
  const auto open = open_;
  for (const auto& session : open) {
    if (!session->in_use() && now - session->used() > limits_.idle) close(session, kGrace);
  }
  closed_.remove_if(is_idle);
}

void Sessions::end(Duration grace) {
  closed_.splice(closed_.end(), open_);
  const auto all = closed_;
  for (const auto& session : all) session->end(grace, true);
}

void Sessions::when_idle(const std::function<void()>& react) {
  auto busy = std::make_shared<size_t>(1);
  const auto one_less = [busy, react] {
    if (--*busy == 0) react();
  };
  const auto all = closed_;
  for (const auto& session : all) {
    ++*busy;
    session->when_idle(one_less);
  }
  one_less();
}

}  // namespace helve::tool
