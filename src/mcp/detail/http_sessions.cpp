#include "mcp/detail/http_sessions.h"

#include "base/ids.h"

namespace helve::mcp {
namespace {

using namespace std::chrono_literals;

constexpr Duration kGrace = 500ms;  // the end of a client (decisions, section 5)
constexpr size_t kIdBytes = 16;
constexpr int kSilencesToExpiry = 2;  // half a minute, with the usual keep_alive
constexpr Duration kKeptFor = 5min;   // events, for a client that comes back
constexpr std::string_view kFirstWithReplay = "2025-11-25";

}  // namespace

Result<std::shared_ptr<HttpSession>> HttpSessions::make(const std::string& principal) {
  auto opened = sessions_.open(tool::Session::Memory::kOwn, principal);
  if (!opened) return std::unexpected(opened.error());
  auto session = std::make_shared<HttpSession>();
  session->id = random_hex(kIdBytes);
  session->principal = principal;
  session->peer = shared_->server.connect(shared_->executor, *std::move(opened));
  session->push = std::make_shared<PushSink>(shared_);
  session->peer->push = session->push;
  return session;
}

void HttpSessions::keep(const std::shared_ptr<HttpSession>& session) {
  const HttpOptions& options = shared_->options;
  if (session->peer->revision >= kFirstWithReplay) {
    session->replay = std::make_shared<Replay>(options.kept_events, options.kept_bytes);
  }
  by_id_.emplace(session->id, session);
  shared_->pulse->wake();
}

std::shared_ptr<HttpSession> HttpSessions::find(std::string_view id, std::string_view principal) {
  const auto entry = by_id_.find(std::string(id));
  if (entry == by_id_.end() || entry->second->principal != principal) return nullptr;
  if (!entry->second->peer->session()->ended()) return entry->second;
  end_streams(*entry->second);
  by_id_.erase(entry);
  return nullptr;
}

void HttpSessions::close(const std::shared_ptr<HttpSession>& session) {
  const std::shared_ptr<HttpSession> held = session;
  by_id_.erase(held->id);
  end_streams(*held);
  sessions_.close(held->peer->session(), kGrace);
}

// The calls go on to their own end without anybody to tell.
void HttpSessions::end_streams(HttpSession& session) {
  session.peer->push = nullptr;
  session.peer->end(kGrace);
  session.push->close();
}

Result<std::shared_ptr<tool::Session>> HttpSessions::shared_by(const std::string& principal) {
  const auto entry = by_principal_.find(principal);
  if (entry != by_principal_.end() && !entry->second->ended()) return entry->second;
  auto opened = sessions_.open(tool::Session::Memory::kShared, principal);
  if (!opened) return opened;
  by_principal_[principal] = *opened;
  shared_->pulse->wake();
  return opened;
}

bool HttpSessions::sweep(Clock::time_point now) {
  if (now - expired_ >= kSilencesToExpiry * shared_->options.keep_alive) expire(now);
  return !by_id_.empty() || !by_principal_.empty();
}

void HttpSessions::expire(Clock::time_point now) {
  expired_ = now;
  sessions_.expire(now);
  std::erase_if(by_principal_, [](const auto& entry) { return entry.second->ended(); });
  std::erase_if(by_id_, [&](const auto& entry) {
    HttpSession& session = *entry.second;
    if (session.replay) session.replay->store.expire(now - kKeptFor);
    if (!session.peer->session()->ended()) return false;
    end_streams(session);
    return true;
  });
}

void HttpSessions::end() {
  while (!by_id_.empty()) close(by_id_.begin()->second);
  by_principal_.clear();
}

}  // namespace helve::mcp
