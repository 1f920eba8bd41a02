// R13: DNS rebinding. Loopback names pass in all spellings and ports, the rest only if listed; the
// refusal names the value and the option.
#include "mcp/guard.h"

#include <gtest/gtest.h>

#include "base/texts.h"

namespace helve::mcp {
namespace {

const Guard& listed() {
  static const Guard kGuard =
      Guard::make({"helve.example.org", "Proxy.Example.org:8443", "tls.example.org:443",
                   "*.apps.example.net", "10.0.0.7", "[2001:db8::1]:7717", "under_score"},
                  {"https://helve.example.org", "http://other.example.org:8080",
                   "https://*.apps.example.net", "vscode-webview://abc123", "https://slash.org/"})
          .value();
  return kGuard;
}

std::string verdict(const Guard& guard, const http::Headers& headers) {
  const auto admitted = guard.admit(headers);
  return admitted ? "passes" : admitted.error().rule;
}

struct Case {
  const char* name;
  std::string value;
  bool passes;
};

const Case kLoopback[] = {
    {"a name", "localhost", true},
    {"a name and a port", "localhost:7717", true},
    {"any port", "localhost:65535", true},
    {"an empty port", "localhost:", true},
    {"upper case", "LocalHost:80", true},
    {"a final dot", "localhost.", true},
    {"a final dot and a port", "localhost.:7717", true},
    {"a name below localhost", "app.localhost:7717", true},
    {"127.0.0.1", "127.0.0.1", true},
    {"127.0.0.1 and a port", "127.0.0.1:7717", true},
    {"127.0.0.1 and a dot", "127.0.0.1.", true},
    {"the rest of 127.0.0.0/8", "127.255.3.9:1", true},
    {"a short spelling", "127.1", true},
    {"a hexadecimal spelling", "0x7F.0.0.1", true},
    {"one number", "2130706433:80", true},
    {"IPv6", "[::1]", true},
    {"IPv6 and a port", "[::1]:7717", true},
    {"IPv6 in full", "[0:0:0:0:0:0:0:1]", true},
    {"IPv4 in IPv6", "[::ffff:127.0.0.1]:7717", true},
    {"IPv4 in IPv6, hexadecimal", "[::FFFF:7f00:1]", true},
    {"blanks around it", " localhost\t", true},
    {"another name", "evil.example.com", false},
    {"another name and a port", "evil.example.com:7717", false},
    {"localhost as the beginning of a name", "localhost.evil.com", false},
    {"localhost as the end of a word", "evillocalhost", false},
    {"an address as the beginning of a name", "127.0.0.1.evil.com", false},
    {"another address", "128.0.0.1", false},
    {"the unspecified address", "0.0.0.0:7717", false},
    {"the unspecified address of IPv6", "[::]:7717", false},
    {"another address of IPv6", "[::2]", false},
    {"a compatible address of IPv6", "[::7f00:1:1]", false},
    {"IPv6 without brackets", "::1", false},
    {"IPv6 with a zone", "[::1%25lo]", false},
    {"no closing bracket", "[::1", false},
    {"something behind the bracket", "[::1]x:80", false},
    {"five numbers", "127.0.0.0.1", false},
    {"a number too large", "127.0.0.256", false},
    {"an octal number that is none", "127.0.0.08", false},
    {"a port too large", "localhost:65536", false},
    {"a port that is no number", "localhost:http", false},
    {"a negative port", "localhost:-1", false},
    {"two ports", "localhost:80:80", false},
    {"a user name", "localhost@evil.com", false},
    {"a user name in front", "evil.com@localhost", false},
    {"a path", "localhost/", false},
    {"a blank inside", "localhost evil.com", false},
    {"a blank behind an address", "127.0.0.1 evil.com", false},
    {"an empty label", "a..localhost", false},
    {"only a dot", ".", false},
    {"two final dots", "localhost..", false},
    {"an encoded letter", "%6cocalhost", false},
    {"a NUL", std::string("localhost\0", 10), false},
    {"a NUL in an address", std::string("[::1\0]", 6), false},
    {"not ASCII",
     "lo\xC3\xA7"
     "alhost",
     false},
    {"a list", "localhost, evil.com", false},
    {"nothing", "", false},
    {"a wildcard", "*", false},
    {"a label too long", std::string(64, 'a') + ".localhost", false},
    {"a name too long", std::string(250, 'a') + ".localhost", false},
};

TEST(Guard, R13LetsLoopbackHostsPassInAllSpellings) {
  for (const Case& c : kLoopback) {
    SCOPED_TRACE(c.name);
    const char* const want = c.passes ? "passes" : "http.host_refused";
    EXPECT_EQ(verdict(Guard(), {{"Host", c.value}}), want);
    EXPECT_EQ(verdict(listed(), {{"hOST", c.value}}), want) << "a list takes nothing away";
  }
}

const Case kHosts[] = {
    {"a listed name", "helve.example.org", true},
    {"a listed name with any port", "HELVE.example.org.:1234", true},
    {"a name below a listed one", "x.helve.example.org", false},
    {"a name that only ends like it", "xhelve.example.org", false},
    {"a listed port", "proxy.example.org:8443", true},
    {"another port", "proxy.example.org:8444", false},
    {"no port", "proxy.example.org", false},
    {"the port of https may be left out", "tls.example.org", true},
    {"one label below", "a.apps.example.net:99", true},
    {"two labels below", "a.b.apps.example.net", true},
    {"the name itself", "apps.example.net", false},
    {"a name that ends like it", "evilapps.example.net", false},
    {"a listed address", "10.0.0.7:80", true},
    {"another address", "10.0.0.8:80", false},
    {"a listed IPv6 address, spelt out", "[2001:0DB8:0::1]:7717", true},
    {"a listed IPv6 address, another port", "[2001:db8::1]:7718", false},
    {"an underscore, as Compose names services", "under_score:7717", true},
};

TEST(Guard, R13LetsListedHostsPass) {
  for (const Case& c : kHosts) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(verdict(listed(), {{"Host", c.value}}), c.passes ? "passes" : "http.host_refused");
    EXPECT_EQ(verdict(Guard(), {{"Host", c.value}}), "http.host_refused");
  }
}

const Case kOrigins[] = {
    {"a loopback page", "http://localhost:3000", true},
    {"a loopback page over TLS", "https://127.0.0.1", true},
    {"a loopback page over IPv6", "http://[::1]:6274", true},
    {"upper case", "HTTP://LOCALHOST", true},
    {"another scheme on loopback", "ftp://localhost", false},
    {"a listed page", "https://helve.example.org", true},
    {"a listed page, its port spelt out", "https://helve.example.org:443", true},
    {"a listed page, another port", "https://helve.example.org:8443", false},
    {"a listed page without TLS", "http://helve.example.org", false},
    {"a listed port", "http://other.example.org:8080", true},
    {"the usual port instead", "http://other.example.org", false},
    {"below a listed name", "https://x.y.apps.example.net", true},
    {"the name itself", "https://apps.example.net", false},
    {"a scheme of an editor", "vscode-webview://abc123", true},
    {"another page of the editor", "vscode-webview://abc124", false},
    {"listed with a final slash", "https://slash.org", true},
    {"a foreign page", "http://evil.example.com", false},
    {"null", "null", false},
    {"null in capitals", "NULL", false},
    {"nothing", "", false},
    {"no scheme", "localhost", false},
    {"no host", "http://", false},
    {"a path", "http://localhost/", false},
    {"a query", "http://localhost?x", false},
    {"a user name", "http://localhost@evil.com", false},
    {"two origins", "http://localhost http://evil.com", false},
    {"a scheme that is none", "1http://localhost", false},
};

TEST(Guard, R13LetsLoopbackAndListedOriginsPass) {
  for (const Case& c : kOrigins) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(verdict(listed(), {{"Host", "localhost"}, {"Origin", c.value}}),
              c.passes ? "passes" : "http.origin_refused");
  }
}

TEST(Guard, R13LooksAtTheHostOfAListedOriginToo) {
  EXPECT_EQ(verdict(listed(), {{"Host", "evil.com"}, {"Origin", "https://helve.example.org"}}),
            "http.host_refused");
}

TEST(Guard, R13WantsOneHostAndAtMostOneOrigin) {
  EXPECT_EQ(verdict(Guard(), {}), "http.host_count");
  EXPECT_EQ(verdict(Guard(), {{"Host", "localhost"}, {"host", "localhost"}}), "http.host_count");
  EXPECT_EQ(verdict(Guard(), {{"Host", "localhost"},
                              {"Origin", "http://localhost"},
                              {"Origin", "http://localhost"}}),
            "http.origin_refused");
}

TEST(Guard, R13NamesTheValueAndTheOption) {
  const auto host = Guard().admit({{"Host", "evil\x1B[31m.com\xFF"}});
  ASSERT_FALSE(host);
  const Rendered rendered = render(host.error());
  EXPECT_TRUE(rendered.message.contains("\"evil [31m.com\xEF\xBF\xBD\"")) << rendered.message;
  EXPECT_TRUE(rendered.next.contains("--allow-host")) << rendered.next;
  EXPECT_TRUE(rendered.next.contains("serve.hosts")) << rendered.next;

  const auto origin = Guard().admit({{"Host", "localhost"}, {"Origin", std::string(5000, 'x')}});
  ASSERT_FALSE(origin);
  EXPECT_LT(render_text(origin.error()).size(), 500U);
  EXPECT_TRUE(render(origin.error()).next.contains("--allow-origin"));
  EXPECT_TRUE(render(origin.error()).next.contains("serve.origins"));
}

const Case kEntries[] = {
    {"a name", "example.org", true},        {"a name and a port", "example.org:80", true},
    {"names below", "*.example.org", true}, {"all hosts", "*", false},
    {"a star inside", "a.*.org", false},    {"addresses below", "*.0.0.1", false},
    {"a scheme", "http://a.org", false},    {"nothing", "", false},
    {"a path", "example.org/mcp", false},   {"bare IPv6", "2001:db8::1", false},
};

TEST(Guard, ReadsHostsToAllow) {
  for (const Case& c : kEntries) {
    SCOPED_TRACE(c.name);
    const auto guard = Guard::make({c.value}, {});
    EXPECT_EQ(guard ? "" : guard.error().rule, c.passes ? "" : "http.allow_host_invalid");
  }
}

const Case kOriginEntries[] = {{"an origin", "https://a.org", true},
                               {"with a port", "https://a.org:8443", true},
                               {"names below", "https://*.a.org", true},
                               {"all", "*", false},
                               {"null", "null", false},
                               {"all hosts", "https://*", false},
                               {"a host", "a.org", false},
                               {"a path", "https://a.org/x", false},
                               {"two slashes", "https://a.org//", false}};

TEST(Guard, ReadsOriginsToAllow) {
  for (const Case& c : kOriginEntries) {
    SCOPED_TRACE(c.name);
    const auto guard = Guard::make({}, {c.value});
    EXPECT_EQ(guard ? "" : guard.error().rule, c.passes ? "" : "http.allow_origin_invalid");
  }
}

struct TokenCase {
  const char* name;
  std::string value;
  std::optional<std::string_view> token;
};

const TokenCase kTokens[] = {
    {"a token", "Bearer abc-._~+/9==", "abc-._~+/9=="},
    {"the scheme without case", "bEARER abc", "abc"},
    {"several blanks", "Bearer   abc ", "abc"},
    {"another scheme", "Basic abc", std::nullopt},
    {"no blank", "Bearerabc", std::nullopt},
    {"no token", "Bearer", std::nullopt},
    {"only blanks", "Bearer  ", std::nullopt},
    {"two words", "Bearer abc def", std::nullopt},
    {"padding alone", "Bearer ==", std::nullopt},
    {"padding inside", "Bearer a=b", std::nullopt},
    {"a list", "Bearer abc, Bearer def", std::nullopt},
    {"not ASCII", "Bearer \xC3\xA9", std::nullopt},
    {"nothing", "", std::nullopt},
};

TEST(Guard, ReadsBearerTokens) {
  for (const TokenCase& c : kTokens) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(bearer_token({{"authorization", c.value}}), c.token);
  }
  EXPECT_EQ(bearer_token({}), std::nullopt);
  EXPECT_EQ(bearer_token({{"Authorization", "Bearer a"}, {"Authorization", "Bearer a"}}),
            std::nullopt);
}

const Case kListen[] = {
    {"the default", "127.0.0.1:7717", true},
    {"a name", "localhost:7717", true},
    {"IPv6", "[::1]:7717", true},
    {"bare IPv6", "::1", true},
    {"without a port", "127.0.0.1", true},
    {"all of 127.0.0.0/8", "127.9.9.9:1", true},
    {"all interfaces", "0.0.0.0:7717", false},
    {"all interfaces of IPv6", "[::]:7717", false},
    {"bare all of IPv6", "::", false},
    {"only a port", ":7717", false},
    {"a star", "*:7717", false},
    {"another address", "192.168.1.2:7717", false},
    {"another name", "box.lan:7717", false},
    {"what a resolver decides", "a.localhost:7717", false},
    {"nothing", "", false},
};

TEST(Guard, KnowsWhichAddressesAreForThisMachineAlone) {
  for (const Case& c : kListen) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(is_loopback_address(c.value), c.passes);
  }
}

}  // namespace
}  // namespace helve::mcp
