#include "store/testing/postgres_cluster.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/check.h"
#include "base/ids.h"
#include "base/time.h"
#include "store/detail/postgres_connection.h"

namespace helve::store::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// The newest of Debian's, which holds several beside each other.
fs::path find_programs() {
  fs::path best;
  std::error_code ignored;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const fs::path programs = version.path() / "bin";
    if (fs::exists(programs / "initdb") && programs > best) best = programs;
  }
  return best;
}

// It waits for the end of the test program, seen as the end of its input, and clears away.
constexpr const char* kWarden = R"(
read -r x
pid=$(head -n 1 "$0/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ]; then
  for each in $(grep -lE "^PPid:[[:space:]]+$pid\$" /proc/[0-9]*/status 2>/dev/null); do
    each=${each#/proc/}
    kill -KILL "${each%/status}" 2>/dev/null
  done
  kill -KILL "$pid" 2>/dev/null
fi
sleep 0.1
rm -rf "$0"
)";

[[noreturn]] void become(const std::vector<std::string>& argv, int input, const fs::path& log) {
  ::setsid();
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (input >= 0) ::dup2(input, 0);
  ::dup2(out, 1);
  ::dup2(out, 2);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  ::_exit(127);
}

pid_t launch(const std::vector<std::string>& argv, int input, const fs::path& log) {
  const pid_t child = ::fork();
  HELVE_CHECK(child >= 0);
  if (child == 0) become(argv, input, log);
  return child;
}

// "" also for a process that ends while it is looked at.
std::string all_of(const fs::path& file) {
  std::ostringstream all;
  all << std::ifstream(file, std::ios::binary).rdbuf();
  return all.str();
}

pid_t parent_of(const std::string& pid) {
  const std::string status = all_of(fs::path("/proc") / pid / "status");
  const std::size_t at = status.find("\nPPid:");
  return at == std::string::npos ? 0 : std::atoi(status.c_str() + at + 6);
}

// "postgres: helve t1 [local] idle" serves a client; the server's own helpers have no socket's
// name.
bool serves_client(pid_t pid) {
  return all_of("/proc/" + std::to_string(pid) + "/cmdline").contains("[local]");
}

}  // namespace

std::string PostgresCluster::missing() {
  return find_programs().empty() ? "PostgreSQL is not installed (Debian package postgresql)" : "";
}

bool PostgresCluster::required() {
  const char* set = std::getenv("HELVE_POSTGRES");
  return set != nullptr && std::string_view(set) == "required";
}

PostgresCluster& PostgresCluster::shared() {
  static const std::unique_ptr<PostgresCluster> cluster(new PostgresCluster(find_programs()));
  return *cluster;
}

PostgresCluster::PostgresCluster(fs::path programs)
    : programs_(std::move(programs)),
      folder_(fs::temp_directory_path() / ("helve-postgres-" + random_hex(6))),
      owner_(::getpid()) {
  fs::create_directory(folder_);
  int ends[2];
  HELVE_CHECK(::pipe2(ends, O_CLOEXEC) == 0);
  warden_pipe_ = ends[1];
  warden_ = launch({"/bin/sh", "-c", kWarden, folder_.string()}, ends[0], "/dev/null");
  ::close(ends[0]);
  initialise();
  start();
}

// In a child of the test program that ends by exit() there is nothing to be done.
PostgresCluster::~PostgresCluster() {
  if (::getpid() != owner_) return;
  crash();
  ::close(warden_pipe_);
  ::waitpid(warden_, nullptr, 0);
}

std::vector<std::string> PostgresCluster::as_owner(std::vector<std::string> argv) const {
  if (::geteuid() != 0) return argv;
  argv.insert(argv.begin(), {"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"});
  return argv;
}

void PostgresCluster::initialise() const {
  const fs::path log = folder_ / "log", data = folder_ / "data";
  fs::permissions(folder_, fs::perms(0777));  // the user postgres makes its folder there
  const pid_t child = launch(as_owner({programs_ / "initdb", "-D", data, "-U", "helve", "-A",
                                       "trust", "-E", "UTF8", "--no-locale", "--no-sync"}),
                             -1, log);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) std::fputs(all_of(log).c_str(), stderr);
  HELVE_CHECK(status == 0);
}

void PostgresCluster::start() {
  if (postmaster_ != 0) return;
  const auto latest = Clock::now() + std::chrono::seconds(180);
  const std::vector<std::string> argv =
      as_owner({programs_ / "postgres", "-D", folder_ / "data", "-c", "listen_addresses=", "-c",
                "unix_socket_directories=" + folder_.string(), "-c", "shared_buffers=16MB", "-c",
                "max_connections=100", "-c", "fsync=on", "-c", "deadlock_timeout=200ms"});
  while (!answers()) {
    HELVE_CHECK(Clock::now() < latest);
    // After a crash it does not come up before all of its predecessor has gone.
    if (postmaster_ == 0 || ::waitpid(postmaster_, nullptr, WNOHANG) == postmaster_) {
      postmaster_ = launch(argv, -1, folder_ / "log");
    }
    std::this_thread::sleep_for(milliseconds(50));
  }
}

bool PostgresCluster::answers() const {
  const StopSignal stop;
  return PostgresConnection::connect(address("postgres"), stop).has_value();
}

void PostgresCluster::reap() {
  if (postmaster_ != 0) ::waitpid(postmaster_, nullptr, 0);
  postmaster_ = 0;
}

void PostgresCluster::stop() {
  if (postmaster_ != 0) ::kill(postmaster_, SIGINT);  // "fast"
  reap();
}

void PostgresCluster::crash() {
  if (postmaster_ == 0) return;
  const std::vector<pid_t> all = children();
  ::kill(postmaster_, SIGKILL);
  for (const pid_t child : all) ::kill(child, SIGKILL);
  reap();
}

void PostgresCluster::signal_sessions(int number) const {
  for (const pid_t child : children()) {
    if (serves_client(child)) ::kill(child, number);
  }
}

std::vector<pid_t> PostgresCluster::children() const {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (parent_of(name) == postmaster_) found.push_back(std::atoi(name.c_str()));
  }
  return found;
}

std::string PostgresCluster::address(const std::string& database) const {
  return "postgresql:///" + database + "?host=" + folder_.string() + "&user=helve";
}

std::string PostgresCluster::fresh_database() {
  start();
  const std::string name = "t" + std::to_string(++databases_);
  const StopSignal stop;
  const auto connection = PostgresConnection::connect(address("postgres"), stop);
  HELVE_CHECK(connection.has_value());
  HELVE_CHECK((*connection)->script("CREATE DATABASE " + name).has_value());
  return address(name);
}

}  // namespace helve::store::testing
