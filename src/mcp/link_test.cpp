// A client on pipes, sockets and files: what it sees when it sends, stops reading, or goes away.
#include "mcp/detail/link.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "mcp/testing/client.h"
#include "os/signals.h"

namespace helve::mcp::testing {
namespace {

using namespace std::chrono_literals;

struct Ends {
  os::UniqueFd read, write;
};

Ends pipe_ends() {
  std::array<int, 2> fds{};
  HELVE_CHECK(::pipe2(fds.data(), O_CLOEXEC) == 0);
  return {os::UniqueFd(fds[0]), os::UniqueFd(fds[1])};
}

Ends socket_ends() {
  std::array<int, 2> fds{};
  HELVE_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) == 0);
  return {os::UniqueFd(fds[0]), os::UniqueFd(fds[1])};
}

void put(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0) return;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

std::string read_all(int fd) {
  std::string out;
  std::array<char, 65536> buffer{};
  for (ssize_t count = 0; (count = ::read(fd, buffer.data(), buffer.size())) > 0;) {
    out.append(buffer.data(), static_cast<size_t>(count));
  }
  return out;
}

// Serves in this thread while `client` plays the other side in one of its own. Gives how long the
// link took to end after the client had returned.
Duration serve(Server& server, Ends in, Ends out, std::function<void(int to, int from)> client,
               Channel::Way way = Channel::Way::kPlain) {
  os::ignore_sigpipe();
  os::Loop loop;
  Channel channel_in = own_channel(in.read.get(), false);
  Channel channel_out = own_channel(out.write.get(), true);
  if (way == Channel::Way::kAskedFirst) {
    channel_in = {std::move(in.read), way};
    channel_out = {std::move(out.write), way};
  }
  in.read.reset();
  out.write.reset();
  const auto link = std::make_shared<Link>(loop, server, std::make_shared<tool::Session>(),
                                           std::move(channel_in), std::move(channel_out));
  loop.spawn([](std::shared_ptr<Link> served, os::Loop& on) -> boost::asio::awaitable<void> {
    co_await served->serve();
    on.stop();
  }(link, loop));
  Clock::time_point left;
  std::thread thread([&] {
    client(in.write.get(), out.read.get());
    left = Clock::now();
    in.write.reset();
    out.read.reset();
  });
  loop.run();
  const auto ended = Clock::now();
  thread.join();
  return ended - left;
}

struct WayCase {
  const char* name;
  Ends (*ends)();
  Channel::Way way;
};
const WayCase kWays[] = {
    {"pipes of our own", pipe_ends, Channel::Way::kPlain},
    {"pipes shared with others", pipe_ends, Channel::Way::kAskedFirst},
    {"sockets", socket_ends, Channel::Way::kPlain},
};

TEST(Link, R14AnswersLinesHoweverTheyCome) {
  for (const WayCase& c : kWays) {
    SCOPED_TRACE(c.name);
    Client tools({echo()});
    std::string got;
    serve(
        tools.server, c.ends(), c.ends(),
        [&](int to, int from) {
          put(to, "\xEF\xBB\xBF" + legacy("1", "ping") + "\r\n\n");
          const std::string call = legacy("2", "tools/call",
                                          R"("name":"echo","arguments":{"message":"\u00e4\u20ac)"
                                          "\xE2\x82\xAC\"}");
          for (const char byte : call + "\n") put(to, {&byte, 1});
          put(to, legacy("3", "ping"));  // no line end
          std::array<char, 4096> buffer{};
          while (std::count(got.begin(), got.end(), '\n') < 2) {
            const auto count = ::read(from, buffer.data(), buffer.size());
            ASSERT_GT(count, 0);
            got.append(buffer.data(), static_cast<size_t>(count));
          }
        },
        c.way);
    EXPECT_EQ(got,
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
              "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
              "\"\xC3\xA4\xE2\x82\xAC\xE2\x82\xAC\"}]}}\n");
  }
}

TEST(Link, ReadsARegularFileToItsEndAndWritesOne) {
  Client tools;
  const os::UniqueFd input(::memfd_create("in", MFD_CLOEXEC));
  const os::UniqueFd output(::memfd_create("out", MFD_CLOEXEC));
  put(input.get(), legacy("1", "ping") + "\n" + legacy("2", "ping"));
  ::lseek(input.get(), 0, SEEK_SET);
  serve(tools.server, {os::UniqueFd(::dup(input.get())), {}},
        {{}, os::UniqueFd(::dup(output.get()))}, [](int, int) {});
  ::lseek(output.get(), 0, SEEK_SET);
  EXPECT_EQ(read_all(output.get()),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
}

TEST(Link, EndsAtOnceWithoutInput) {
  Client tools;
  serve(tools.server, {os::UniqueFd(::open("/dev/null", O_RDONLY)), {}}, pipe_ends(),
        [](int, int) {});
  serve(tools.server, {}, pipe_ends(), [](int, int) {});
}

TEST(Link, R2EndsWithItsClientAndItsCalls) {
  for (const WayCase& c : kWays) {
    SCOPED_TRACE(c.name);
    Client tools({patient()});
    const auto took = serve(
        tools.server, c.ends(), c.ends(),
        [&](int to, int) {
          for (const char* id : {"1", "2", "3"}) {
            put(to, legacy(id, "tools/call", R"("name":"wait")") + "\n");
          }
        },
        c.way);
    EXPECT_LT(took, 5s);  // five times the bound
  }
}

// A tool that does not listen when it is cancelled holds the end up, but not for ever.
TEST(Link, R2EndsAlsoWhenACallDoesNot) {
  tool::Tool deaf = answering("deaf", {});
  deaf.run = [](tool::Call&) -> boost::asio::awaitable<Result<tool::Answer>> {
    co_await os::Loop::sleep(std::chrono::hours(1));
    co_return tool::Answer{};
  };
  Client tools({deaf});
  const auto took = serve(tools.server, pipe_ends(), pipe_ends(), [&](int to, int) {
    put(to, legacy("1", "tools/call", R"("name":"deaf")") + "\n");
  });
  EXPECT_LT(took, 5s);
}

TEST(Link, R2EndsWhenTheClientCannotBeWrittenTo) {
  for (const WayCase& c : kWays) {
    SCOPED_TRACE(c.name);
    Client tools;
    Ends in = c.ends(), out = c.ends();
    const os::UniqueFd held(::dup(in.write.get()));  // somebody keeps our input open
    out.read.reset();
    serve(
        tools.server, std::move(in), std::move(out),
        [&](int to, int) { put(to, legacy("1", "ping") + "\n"); }, c.way);
  }
}

// 600 answers of 40,000 characters are 24 MB: a server without bounds would take every request.
TEST(Link, AClientThatDoesNotReadStopsOurReadingAndLosesNothing) {
  constexpr int kCalls = 600;
  for (const WayCase& c : kWays) {
    SCOPED_TRACE(c.name);
    Client tools({answering("big", {.text = std::string(39'000, 'x')})});
    size_t taken = 0, lines = 0;
    serve(
        tools.server, c.ends(), c.ends(),
        [&](int to, int from) {
          ::fcntl(to, F_SETFL, O_NONBLOCK);
          const std::string padding(2000, 'p');
          std::string sent;
          for (int id = 0; id < kCalls; ++id) {
            sent +=
                legacy(std::to_string(id), "tools/call", R"("name":"big","pad":")" + padding + '"');
            sent += '\n';
          }
          // Writes until the server has taken nothing for a while.
          for (auto idle = Clock::now(); Clock::now() - idle < 300ms && taken < sent.size();) {
            const auto count = ::write(to, sent.data() + taken, sent.size() - taken);
            if (count > 0) {
              taken += static_cast<size_t>(count);
              idle = Clock::now();
            } else {
              std::this_thread::sleep_for(10ms);
            }
          }
          EXPECT_LT(taken, sent.size()) << "the server read on";
          ::fcntl(to, F_SETFL, 0);
          std::thread writer([&] { put(to, std::string_view(sent).substr(taken)); });
          std::array<char, 65536> buffer{};
          while (lines < kCalls) {
            const auto count = ::read(from, buffer.data(), buffer.size());
            if (count <= 0) break;
            lines += static_cast<size_t>(std::count(buffer.data(), buffer.data() + count, '\n'));
          }
          writer.join();
        },
        c.way);
    EXPECT_EQ(lines, static_cast<size_t>(kCalls));
  }
}

// The client dies while its answers wait: nothing is read then, so no read() can tell.
TEST(Link, R2EndsWithAClientThatHasNotRead) {
  Client tools({answering("big", {.text = std::string(39'000, 'x')})});
  Ends out = pipe_ends();
  const os::UniqueFd held(::dup(out.read.get()));  // somebody keeps our output open
  const auto took = serve(tools.server, pipe_ends(), std::move(out), [&](int to, int) {
    for (int id = 0; id < 200; ++id) {
      put(to, legacy(std::to_string(id), "tools/call", R"("name":"big")") + "\n");
    }
    std::this_thread::sleep_for(100ms);
  });
  EXPECT_LT(took, 10s);
}

TEST(Link, ALineOverTheLimitIsToldAndTheNextIsRead) {
  Client tools;
  std::string got;
  serve(tools.server, pipe_ends(), pipe_ends(), [&](int to, int from) {
    put(to, std::string((size_t{32} << 20U) + 10, 'x') + "\n" + legacy("1", "ping") + "\n");
    std::array<char, 4096> buffer{};
    while (std::count(got.begin(), got.end(), '\n') < 2) {
      const auto count = ::read(from, buffer.data(), buffer.size());
      ASSERT_GT(count, 0);
      got.append(buffer.data(), static_cast<size_t>(count));
    }
  });
  const auto both = split(got, '\n');
  EXPECT_EQ(outcome(both[0]), "null -32600 mcp.message_too_large");
  EXPECT_EQ(outcome(both[1]), "1 ok");
}

}  // namespace
}  // namespace helve::mcp::testing
