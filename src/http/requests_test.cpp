// What is read as a request, and what is refused (RFC 9112).
#include <gtest/gtest.h>

#include "http/testing/client.h"
#include "http/testing/rig.h"

namespace helve::http {
namespace {

std::string describe(const Reply& reply) { return std::to_string(reply.status) + ' ' + reply.body; }

constexpr std::string_view kPost =
    "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello";

TEST(Requests, AreReadOrRefusedWithTheirRule) {
  Rig rig;
  const struct {
    const char *name, *bytes, *want;
  } cases[] = {
      {"a body of a length", "POST /a?b=c&d HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi",
       "200 POST /a?b=c&d hi"},
      {"chunks",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
       "chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n"
       "\r\n",
       "200 POST / hello"},
      {"a chunk extension and a trailer",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n0\r\n"
       "X: y\r\n\r\n",
       "200 POST / he"},
      {"HTTP/1.0 without a host", "GET /old HTTP/1.0\r\n\r\n", "200 GET /old "},
      {"an empty line before", "\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", "200 GET / "},
      {"the absolute form", "GET http://a.b:80/c?d HTTP/1.1\r\nHost: x\r\n\r\n", "200 GET /c?d "},
      {"the absolute form without a path", "GET http://a.b HTTP/1.1\r\nHost: x\r\n\r\n",
       "200 GET / "},
      {"OPTIONS of the server", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "200 OPTIONS * "},
      {"an encoding in capitals",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n", "200 POST / "},

      {"TLS", "\x16\x03\x01\x02", "400 http.tls"},
      {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400 http.http2"},
      {"HTTP/2 by its version", "GET / HTTP/2.0\r\nHost: x\r\n\r\n",
       "505 http.version_unsupported"},
      {"HTTP/1.2", "GET / HTTP/1.2\r\nHost: x\r\n\r\n", "505 http.version_unsupported"},
      {"HTTP/0.9", "GET /\r\n\r\n", "400 http.request_line_invalid"},
      {"no version", "GET / FTP/1.1\r\nHost: x\r\n\r\n", "400 http.request_line_invalid"},
      {"two blanks", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", "400 http.request_line_invalid"},
      {"a blank in the target", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
       "400 http.request_line_invalid"},
      {"a blank at the front", " GET / HTTP/1.1\r\nHost: x\r\n\r\n",
       "400 http.request_line_invalid"},
      {"a method that is no token", "G(T / HTTP/1.1\r\nHost: x\r\n\r\n",
       "400 http.request_line_invalid"},
      {"CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n", "400 http.target_invalid"},
      {"the server for GET", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", "400 http.target_invalid"},
      {"a fragment", "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n", "400 http.target_invalid"},
      {"beyond ASCII in the target", "GET /\xc3\xa4 HTTP/1.1\r\nHost: x\r\n\r\n",
       "400 http.target_invalid"},
      {"a bare line feed", "GET / HTTP/1.1\nHost: x\n\n", "400 http.line_end_invalid"},
      {"a bare line feed in a header", "GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n",
       "400 http.line_end_invalid"},
      {"a bare carriage return", "GET / HTTP/1.1\r\nHost: x\rA: b\r\n\r\n",
       "400 http.header_invalid"},
      {"a folded line", "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
       "400 http.header_invalid"},
      {"a blank before the colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", "400 http.header_invalid"},
      {"no colon", "GET / HTTP/1.1\r\nHost: x\r\nabc\r\n\r\n", "400 http.header_invalid"},
      {"no name", "GET / HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n", "400 http.header_invalid"},
      {"a control character", "GET / HTTP/1.1\r\nHost: x\r\nA: \x01\r\n\r\n",
       "400 http.header_invalid"},
      {"a list that is none", "GET / HTTP/1.1\r\nHost: x\r\nConnection: (\r\n\r\n",
       "400 http.head_invalid"},
      {"no host", "GET / HTTP/1.1\r\n\r\n", "400 http.host_count"},
      {"two hosts", "GET / HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n", "400 http.host_count"},
      {"a host with a path", "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n", "400 http.host_invalid"},
      {"a host with a user", "GET / HTTP/1.1\r\nHost: x@y\r\n\r\n", "400 http.host_invalid"},
      {"another expectation", "GET / HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n",
       "417 http.expectation_unknown"},

      {"a length and chunks",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
       "0\r\n\r\n",
       "400 http.framing_ambiguous"},
      {"chunks and a length",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\ncontent-length: 3\r\n\r\n",
       "400 http.framing_ambiguous"},
      {"two lengths",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
       "400 http.framing_ambiguous"},
      {"one length twice",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
       "400 http.framing_ambiguous"},
      {"chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       "400 http.framing_ambiguous"},
      {"a list of lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\n",
       "400 http.length_invalid"},
      {"a negative length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
       "400 http.length_invalid"},
      {"a signed length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\n",
       "400 http.length_invalid"},
      {"a hexadecimal length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x5\r\n\r\n",
       "400 http.length_invalid"},
      {"an empty length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\n",
       "400 http.length_invalid"},
      {"a length beyond 64 bits",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551621\r\n\r\n",
       "400 http.length_invalid"},
      {"a length beyond 63 bits",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551615\r\n\r\n",
       "400 http.length_invalid"},
      {"another encoding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
       "501 http.encoding_unsupported"},
      {"chunked twice", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n",
       "501 http.encoding_unsupported"},
      {"two encodings",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
       "chunked\r\n\r\n",
       "501 http.encoding_unsupported"},
      {"an encoding in disguise",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \x0b"
       "chunked\r\n\r\n",
       "400 http.header_invalid"},
      {"nearly chunked", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n",
       "501 http.encoding_unsupported"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Client client(rig.address());
    EXPECT_EQ(describe(client.ask(c.bytes)), c.want);
  }
}

TEST(Requests, WithANulAreRefused) {
  Rig rig;
  using std::string_literals::operator""s;
  for (const std::string& bytes :
       {"GET / HTTP/1.1\r\nHost: x\0y\r\n\r\n"s, "GET / HTTP/1.1\r\nHost: x\r\nA\0: b\r\n\r\n"s,
        "GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n"s, "\0GET /"s}) {
    EXPECT_EQ(Client(rig.address()).ask(bytes).status, 400) << bytes;
  }
}

TEST(Requests, OfWrongChunksAreRefused) {
  Rig rig;
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  const struct {
    const char *name, *chunks;
  } cases[] = {
      {"no size", "\r\nab\r\n0\r\n\r\n"},
      {"a signed size", "+2\r\nab\r\n0\r\n\r\n"},
      {"a negative size", "-2\r\nab\r\n0\r\n\r\n"},
      {"a prefixed size", "0x2\r\nab\r\n0\r\n\r\n"},
      {"no hexadecimal", "g\r\nab\r\n0\r\n\r\n"},
      {"a size beyond 64 bits", "10000000000000002\r\nab\r\n0\r\n\r\n"},
      {"a blank before the size", " 2\r\nab\r\n0\r\n\r\n"},
      {"a blank in the size", "2 2\r\nab\r\n0\r\n\r\n"},
      {"a bare line feed", "2\nab\r\n0\r\n\r\n"},
      {"a longer chunk than its size", "2\r\nabc\r\n0\r\n\r\n"},
      {"a line feed behind the chunk", "2\r\nab\n0\r\n\r\n"},
      {"a line feed in an extension", "2;a\nb\r\nab\r\n0\r\n\r\n"},
      {"a line feed in a quoted extension", "2;a=\"\n\"\r\nab\r\n0\r\n\r\n"},
      {"a carriage return in an extension", "2;a\rb\r\nab\r\n0\r\n\r\n"},
      {"a carriage return alone behind the chunk", "2\r\nab\r0\r\n\r\n"},
      {"a trailer that is none", "0\r\nabc\r\n\r\n"},
      {"a folded trailer", "0\r\nA: b\r\n c\r\n\r\n"},
      {"a line feed in the trailer", "0\r\nA: b\n\r\n"},
      {"a host in the trailer", "0\r\nHost: y\r\n\r\n"},
      {"a length in the trailer", "0\r\nContent-Length: 5\r\n\r\n"},
      {"an encoding in the trailer", "0\r\nTransfer-Encoding: chunked\r\n\r\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Client client(rig.address());
    EXPECT_EQ(describe(client.ask(head + c.chunks)), "400 http.chunk_invalid");
  }
}

TEST(Requests, MayBeCutAnywhere) {
  Rig rig;
  const std::string chunked =
      "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;e=1\r\nhe\r\n3\r\nllo\r\n"
      "0\r\nT: u\r\n\r\n";
  for (const std::string& bytes : {"\r\n" + std::string(kPost), chunked}) {
    for (size_t at = 1; at < bytes.size(); ++at) {
      SCOPED_TRACE(at);
      Client client(rig.address());
      client.send(std::string_view(bytes).substr(0, at));
      rig.connections();  // the loop has had a turn
      const Reply reply = client.ask(std::string_view(bytes).substr(at));
      EXPECT_EQ(reply.status, 200);
      EXPECT_TRUE(reply.body.ends_with("hello")) << reply.body;
    }
  }
}

TEST(Requests, MayComeByteByByte) {
  Rig rig;
  Client client(rig.address());
  for (const char c : kPost) client.send({&c, 1});
  EXPECT_EQ(client.read_reply().body, "POST /mcp hello");
}

TEST(Requests, OfOnePipeAreAnsweredInOrder) {
  Rig rig;
  Client client(rig.address());
  std::string all;
  for (int i = 0; i < 500; ++i) {
    all += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
    all += "POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nz\r\n0\r\n\r\n";
  }
  std::thread sender([&] { client.send(all); });
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(client.read_reply().body, "GET /" + std::to_string(i) + " ");
    EXPECT_EQ(client.read_reply().body, "POST /p z");
  }
  sender.join();
}

TEST(Requests, OverALimitAreRefused) {
  Rig rig({.header_bytes = 1024, .body_bytes = 1000});
  const std::string post = "POST / HTTP/1.1\r\nHost: x\r\n";
  const std::string chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
  const struct {
    const char* name;
    std::string bytes, want;
  } cases[] = {
      {"a long header", post + "A: " + std::string(2000, 'a') + "\r\n\r\n",
       "431 http.header_too_long"},
      {"a header without an end", post + "A: " + std::string(5000, 'a'),
       "431 http.header_too_long"},
      {"a long target", "GET /" + std::string(600, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n",
       "414 http.target_too_long"},
      {"a target without an end", "GET /" + std::string(5000, 'a'), "414 http.target_too_long"},
      {"a long body by its length", post + "Content-Length: 1001\r\n\r\n",
       "413 http.body_too_large"},
      {"a long chunk", chunked + "3e9\r\n", "413 http.body_too_large"},
      {"long chunks",
       chunked + "1f4\r\n" + std::string(500, 'a') + "\r\n1f5\r\n" + std::string(501, 'a'),
       "413 http.body_too_large"},
      {"a huge chunk", chunked + "ffffffffffffffff\r\n", "413 http.body_too_large"},
      {"a chunk extension without an end", chunked + "1;" + std::string(5000, 'a'),
       "400 http.chunk_invalid"},
      {"a body of just the limit", post + "Content-Length: 1000\r\n\r\n" + std::string(1000, 'a'),
       "200 POST / " + std::string(1000, 'a')},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(describe(Client(rig.address()).ask(c.bytes)), c.want);
  }
}

TEST(Requests, AreRefusedWhileTheirBodyStillComes) {
  Rig rig({.body_bytes = 1000});
  Client client(rig.address());
  const std::string body(3'000'000, 'a');
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n");
  client.send(body);
  EXPECT_EQ(client.read_reply().status, 413);
  EXPECT_TRUE(client.has_ended());
}

TEST(Requests, ShareABudgetForTheirBodies) {
  Rig rig({.all_bodies_bytes = 1000});
  const std::string post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 600\r\n\r\n";
  const std::string most(599, 'a');
  Client silent(rig.address()), first(rig.address());
  silent.send(post);  // declares much and sends nothing, which is in nobody's way
  first.send(post + most);
  ASSERT_TRUE(rig.comes_to(2));
  const Reply reply = Client(rig.address()).ask(post + most);
  EXPECT_EQ(describe(reply), "503 http.bodies_too_large");
  EXPECT_TRUE(reply.head.contains("\r\nRetry-After: 1\r\n"));
  EXPECT_EQ(first.ask("a").status, 200);
  EXPECT_EQ(Client(rig.address()).ask(post + std::string(600, 'a')).status, 200);

  const std::string chunks =
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n258\r\n";
  Client second(rig.address()), third(rig.address());
  second.send(chunks + std::string(600, 'a'));
  rig.connections();
  third.send(chunks + std::string(600, 'a'));
  EXPECT_EQ(describe(third.read_reply()), "503 http.bodies_too_large");
  EXPECT_EQ(second.ask("\r\n0\r\n\r\n").status, 200);
}

TEST(Requests, ThatAreSlowAreGivenUp) {
  Rig rig({.header_time = std::chrono::milliseconds(40),
           .body_time = std::chrono::milliseconds(40),
           .idle_time = std::chrono::milliseconds(40)});
  EXPECT_EQ(describe(Client(rig.address()).ask("GET / HT")), "408 http.header_slow");
  EXPECT_EQ(
      describe(
          Client(rig.address()).ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")),
      "408 http.body_slow");
  Client idle(rig.address());
  EXPECT_TRUE(idle.has_ended());
  Client between(rig.address());
  EXPECT_EQ(between.ask(kPost).status, 200);
  EXPECT_TRUE(between.has_ended());
}

TEST(Requests, ThatComeDropByDropAreGivenUp) {
  Rig rig({.body_time = std::chrono::milliseconds(100)});
  Client client(rig.address());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
  for (int i = 0; i < 40; ++i) {
    client.send("a");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(describe(client.read_reply()), "408 http.body_slow");
}

TEST(Requests, AreAdmittedBeforeTheirBody) {
  Rig rig;
  rig.admits = [](const Request& head) -> std::optional<Response> {
    if (head.headers.find("authorization") == "Bearer x") return std::nullopt;
    return Response{.status = 401, .body = "who?"};
  };
  const std::string post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n";
  Client stranger(rig.address());
  EXPECT_EQ(describe(stranger.ask(post + "\r\n")), "401 who?");
  EXPECT_TRUE(stranger.has_ended());
  Client friendly(rig.address());
  const Reply go_on =
      friendly.ask(post + "Authorization:  Bearer x \r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(go_on.status, 100);
  EXPECT_EQ(describe(friendly.ask("hi")), "200 POST / hi");
  // Whoever sends the body along is not told to.
  EXPECT_EQ(
      describe(friendly.ask(post + "Authorization: Bearer x\r\nExpect: 100-continue\r\n\r\nhi")),
      "200 POST / hi");
}

TEST(Requests, InTheAbsoluteFormNameTheirHostThere) {
  std::string host;
  Rig rig({}, [&](const std::shared_ptr<Exchange>& exchange) {
    host = exchange->request().headers.find("Host").value_or("none");
    EXPECT_TRUE(exchange->request().remote.starts_with("127.0.0.1:"));
    exchange->respond({});
  });
  Client(rig.address()).ask("GET http://evil.example:1/ HTTP/1.1\r\nHost: localhost\r\n\r\n");
  rig.on_loop([] {});
  EXPECT_EQ(host, "evil.example:1");
}

}  // namespace
}  // namespace helve::http
