#include "store/detail/postgres_pool.h"

#include "base/texts.h"
#include "store/detail/refusals.h"

namespace helve::store {
namespace {

constexpr std::size_t kMost = 16, kKept = 4;
constexpr Duration kIdle = std::chrono::minutes(1);
constexpr Duration kPatience = std::chrono::seconds(5);

}  // namespace

void PostgresPool::add(Database::Work work, bool writes, Done done) {
  std::unique_lock lock(mutex_);
  if (closed_) {
    lock.unlock();
    return done(unavailable(text("store.closing")));
  }
  waiting_.push_back({.work = std::move(work), .writes = writes, .done = std::move(done)});
  if (waiting_.size() > idle_ && threads_.size() < kMost) {
    threads_.emplace_back([this] { serve(); });
  }
  changed_.notify_one();
}

void PostgresPool::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  shared_.stop.set();
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  refuse_waiting(unavailable(text("store.closing")).error());
}

void PostgresPool::serve() {
  PostgresSession session(shared_);
  while (std::optional<Job> job = take(session)) {
    const bool was_open = session.is_open();
    Result<void> done = run(*job, session);
    count_open(was_open, session.is_open());
    if (!done && session.unreachable()) refuse_waiting(done.error());
    job->work = nullptr;  // what it holds goes before the one who waits goes on
    job->done(std::move(done));
  }
}

Result<void> PostgresPool::run(Job& job, PostgresSession& session) {
  if (Clock::now() - job.since > kPatience) return unavailable(text("store.crowded"));
  return session.transact(job.work, job.writes);
}

std::optional<PostgresPool::Job> PostgresPool::take(PostgresSession& session) {
  std::unique_lock lock(mutex_);
  const auto wanted = [this] { return closed_ || !waiting_.empty(); };
  ++idle_;
  while (!changed_.wait_for(lock, kIdle, wanted)) {
    if (!session.is_open() || open_ <= kKept) continue;
    session.close();
    --open_;
  }
  --idle_;
  if (closed_) return std::nullopt;
  Job job = std::move(waiting_.front());
  waiting_.pop_front();
  return job;
}

void PostgresPool::count_open(bool was_open, bool is_open) {
  const std::lock_guard lock(mutex_);
  if (is_open && !was_open) ++open_;
  if (was_open && !is_open) --open_;
}

void PostgresPool::refuse_waiting(const Refusal& refusal) {
  std::deque<Job> refused;
  {
    const std::lock_guard lock(mutex_);
    refused.swap(waiting_);
  }
  for (Job& job : refused) {
    job.work = nullptr;
    job.done(std::unexpected(refusal));
  }
}

}  // namespace helve::store
