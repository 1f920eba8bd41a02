#include "workspace/detail/file_change.h"

#include <unistd.h>

#include <cerrno>

#include "base/texts.h"
#include "tool/session.h"
#include "workspace/detail/guard.h"
#include "workspace/version.h"

namespace helve::workspace {
namespace {

namespace asio = boost::asio;
using tool::Answer;

constexpr int kAttempts = 2;  // WS-91

// The first look tells which file it is; everything else is done under that file's lock.
Result<Answer> attempt(FileChange& change, const ChangeWork& work) {
  const std::filesystem::path locked = change.target.path;
  for (int i = 0; i < kAttempts; ++i) {
    if (auto opened = change.open(); !opened) return std::unexpected(opened.error());
    if (change.target.path != locked) break;  // a link was put elsewhere
    auto answer = work(change);
    if (answer || answer.error().rule != "file.changed_meanwhile") return answer;
  }
  return std::unexpected(keeps_changing(change));
}

// One call, as its worker and its coroutine share it: whoever of them is left last lets it go.
struct Job {
  FileChange change;
  ChangeWork work;
  Result<void> opened;
  Result<Answer> answer = Answer{};
};

asio::awaitable<Result<Answer>> work_locked(const std::shared_ptr<Job>& job, tool::Call& call) {
  FileChange& change = job->change;
  const std::filesystem::path real = change.target.path;
  if (change.remembers) {
    const Seen* seen = call.session.record<Knowledge>().find(real);
    if (seen != nullptr) change.seen = *seen;
  }
  co_await change.workspace->workers.run(call.session,
                                         [job] { job->answer = attempt(job->change, job->work); });
  if (change.remembers && change.learned) {
    call.session.record<Knowledge>().saw(real, *std::move(change.learned));
  }
  co_return std::move(job->answer);
}

// With the file found, and its folder made.
asio::awaitable<Result<Answer>> work_opened(const std::shared_ptr<Job>& job, tool::Call& call) {
  FileChange& change = job->change;
  const auto lock = co_await change.workspace->locks.lock(change.target.path, change.place.shown);
  if (!lock) co_return std::unexpected(lock.error());
  if (call.cancellation->requested()) {
    co_return refuse("edit.cancelled", {{"path", change.place.shown}});
  }
  co_return co_await work_locked(job, call);
}

}  // namespace

Result<void> FileChange::open() {
  auto opened = workspace->paths.target(place, create);
  if (!opened) return std::unexpected(opened.error());
  target = *std::move(opened);
  made.add(std::move(target.made));
  if (target.there || create) return {};
  // Says what is missing, and what is near.
  auto missing = workspace->paths.open(place);
  if (!missing) return std::unexpected(missing.error());
  return open();  // it has come into being just now
}

Result<Current> FileChange::read() const {
  Current now;
  if (!target.there) return now;
  now.there = true;
  now.size = static_cast<std::uint64_t>(target.there->status.st_size);
  if (now.size > kMostEdited) return now;
  std::string bytes;
  int error = 0;
  // One byte more than there should be, so that a file that grows is noticed.
  bytes.resize_and_overwrite(now.size + 1, [&](char* data, std::size_t room) {
    std::size_t done = 0;
    while (done < room) {
      const ssize_t got =
          ::pread(target.there->fd.get(), data + done, room - done, static_cast<off_t>(done));
      if (got == 0) break;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        error = errno;
        break;
      }
      done += static_cast<std::size_t>(got);
    }
    return done;
  });
  if (error != 0) return std::unexpected(os::errno_refusal(error, place.shown));
  if (bytes.size() != now.size) return refuse("file.changed_meanwhile", {{"path", place.shown}});
  now.bytes = std::move(bytes);
  return now;
}

const std::string& FileChange::version_of(Current& now) const {
  if (now.there && now.version.empty()) {
    now.version =
        now.bytes ? workspace::version_of(*now.bytes) : workspace::version_of(target.there->status);
  }
  return now.version;
}

Result<os::Replaced> FileChange::replace(std::span<const std::string_view> pieces) {
  std::optional<os::Identity> expected;
  if (target.there) expected = os::identity_of(target.there->status);
  return os::replace_file({.folder = target.folder.get(),
                           .name = target.name,
                           .shown = place.shown,
                           .pieces = pieces,
                           .expected = expected,
                           .durable = workspace->settings.durable});
}

asio::awaitable<Result<Answer>> change_file(std::shared_ptr<Workspace> workspace, tool::Call& call,
                                            bool create, ChangeWork work) {
  auto place = workspace->paths.resolve(as_text(call.arguments.at("path")));
  if (!place) co_return std::unexpected(place.error());
  const Json* version = call.arguments.if_contains("version");
  auto job = std::make_shared<Job>();
  job->work = std::move(work);
  job->change = {.workspace = workspace,
                 .place = *std::move(place),
                 .create = create,
                 .remembers = call.session.remembers()};
  FileChange& change = job->change;
  if (version != nullptr) change.version = as_text(*version);
  const auto turn =
      co_await workspace->locks.turn(call.session.id(), change.place.path, change.place.shown);
  if (!turn) co_return std::unexpected(turn.error());
  co_await workspace->workers.run(call.session, [job] { job->opened = job->change.open(); });
  if (!job->opened) co_return std::unexpected(job->opened.error());
  auto answer = co_await work_opened(job, call);
  if (!answer && change.made.count() > 0) {
    co_await workspace->workers.run(call.session, [job] { job->change.give_up(); });
  }
  co_return answer;
}

}  // namespace helve::workspace
