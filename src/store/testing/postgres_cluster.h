// store/testing/postgres_cluster.h
//
// A PostgreSQL server of a test program's own, in a temporary folder and on a Unix socket only. It
// is begun when a test first wants it, and gone when the program ends, however it ends. As root it
// runs as the user postgres, since PostgreSQL refuses root. One thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace helve::store::testing {

class PostgresCluster {
 public:
  // Why there can be no server here; "" if there can. With HELVE_POSTGRES=required in the
  // environment the tests fail for it instead of being skipped.
  static std::string missing();
  static bool required();
  // The one of this program, running.
  static PostgresCluster& shared();

  ~PostgresCluster();
  PostgresCluster(const PostgresCluster&) = delete;
  PostgresCluster& operator=(const PostgresCluster&) = delete;

  // "postgresql://...": an empty database that no other test has.
  std::string fresh_database();
  void start();  // returns once it answers
  void stop();   // as for a restart: sessions are ended, what is committed is written
  void crash();  // SIGKILL for all of it
  // SIGSTOP or SIGCONT for the processes that serve clients, not for the one that accepts them.
  void signal_sessions(int number) const;

 private:
  explicit PostgresCluster(std::filesystem::path programs);
  std::vector<pid_t> children() const;
  std::string address(const std::string& database) const;
  void initialise() const;
  bool answers() const;
  void reap();
  std::vector<std::string> as_owner(std::vector<std::string> argv) const;

  std::filesystem::path programs_, folder_;
  pid_t owner_ = 0;   // the test program
  pid_t warden_ = 0;  // clears away what is left
  pid_t postmaster_ = 0;
  int warden_pipe_ = -1;
  int databases_ = 0;
};

}  // namespace helve::store::testing

// At the begin of a test that needs the server.
#define HELVE_NEEDS_POSTGRES()                                                               \
  do {                                                                                       \
    const std::string why = ::helve::store::testing::PostgresCluster::missing();             \
    if (!why.empty() && ::helve::store::testing::PostgresCluster::required()) FAIL() << why; \
    if (!why.empty()) GTEST_SKIP() << why;                                                   \
  } while (false)
