#include "mcp/detail/event_stream.h"

#include <gtest/gtest.h>

namespace helve::mcp {
namespace {

using namespace std::chrono_literals;

struct EventCase {
  const char* name;
  Event event;
  std::string_view text;
};

const EventCase kEvents[] = {
    {"a message", {.data = R"({"a":1})"}, "data: {\"a\":1}\n\n"},
    {"nothing, as the first event of a stream that is polled",
     {.data = "", .id = "0"},
     "id: 0\ndata: \n\n"},
    {"all fields",
     {.data = "x", .id = "s1/7", .retry = 1500ms},
     "id: s1/7\nretry: 1500\ndata: x\n\n"},
    {"two lines", {.data = "a\nb"}, "data: a\ndata: b\n\n"},
    {"a last line end", {.data = "a\n"}, "data: a\ndata: \n\n"},
    {"CR and CRLF are line ends too", {.data = "a\rb\r\nc"}, "data: a\ndata: b\ndata: c\n\n"},
    {"empty lines do not end the event",
     {.data = "a\n\n\nb"},
     "data: a\ndata: \ndata: \ndata: b\n\n"},
    {"no field can be smuggled in",
     {.data = "a\nevent: x\nid: 9"},
     "data: a\ndata: event: x\ndata: id: 9\n\n"},
    {"a blank in front stays", {.data = " a"}, "data:  a\n\n"},
    {"a colon in front", {.data = ":a"}, "data: :a\n\n"},
};

TEST(EventStream, WritesEvents) {
  for (const EventCase& c : kEvents) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(encode_event(c.event), c.text);
  }
}

TEST(EventStream, WritesComments) {
  EXPECT_EQ(encode_comment(), ": \n\n");
  EXPECT_EQ(encode_comment("alive"), ": alive\n\n");
  EXPECT_EQ(encode_comment("a\ndata: b"), ": a\n: data: b\n\n");
}

struct AcceptCase {
  const char* name;
  http::Headers headers;
  Accepted want;
};

const AcceptCase kAccepts[] = {
    {"both, as the specification wants it",
     {{"Accept", "application/json, text/event-stream"}},
     {true, true}},
    {"no header", {}, {true, true}},
    {"an empty header", {{"Accept", " , "}}, {true, true}},
    {"one", {{"accept", "application/json"}}, {true, false}},
    {"the other", {{"Accept", "text/event-stream"}}, {false, true}},
    {"neither", {{"Accept", "text/html"}}, {false, false}},
    {"upper case", {{"Accept", "TEXT/Event-Stream"}}, {false, true}},
    {"two headers",
     {{"Accept", "application/json"}, {"Accept", "text/event-stream"}},
     {true, true}},
    {"everything", {{"Accept", "*/*"}}, {true, true}},
    {"all texts", {{"Accept", "text/*"}}, {false, true}},
    {"all applications", {{"Accept", "application/*;q=0.1"}}, {true, false}},
    {"parameters", {{"Accept", "application/json;charset=utf-8"}}, {true, false}},
    {"excluded", {{"Accept", "*/*, text/event-stream;q=0"}}, {true, false}},
    {"excluded, whatever the order",
     {{"Accept", "text/event-stream; Q=0.000, */*"}},
     {true, false}},
    {"excluded by kind", {{"Accept", "*/*;q=0.5,text/*;q=0"}}, {true, false}},
    {"taken back", {{"Accept", "text/*;q=0, text/event-stream;q=0.001"}}, {false, true}},
    {"all excluded", {{"Accept", "*/*;q=0"}}, {false, false}},
    {"a small weight is one", {{"Accept", "application/json;q=0.001"}}, {true, false}},
    {"a comma in quotes", {{"Accept", R"(text/html;x="a,\",application/json")"}}, {false, false}},
    {"a type that begins like it", {{"Accept", "application/jsonl"}}, {false, false}},
    {"a type that ends like it", {{"Accept", "application/problem+json"}}, {false, false}},
    {"half a range", {{"Accept", "*"}}, {false, false}},
    {"no type", {{"Accept", ";q=1"}}, {false, false}},
};

TEST(EventStream, KnowsWhichAnswersAClientTakes) {
  for (const AcceptCase& c : kAccepts) {
    SCOPED_TRACE(c.name);
    const Accepted got = accepted_answers(c.headers);
    EXPECT_EQ(got.json, c.want.json);
    EXPECT_EQ(got.stream, c.want.stream);
  }
}

struct TypeCase {
  const char* name;
  http::Headers headers;
  bool json;
};

const TypeCase kTypes[] = {
    {"plain", {{"Content-Type", "application/json"}}, true},
    {"upper case", {{"content-type", "Application/JSON"}}, true},
    {"a charset", {{"Content-Type", "application/json; charset=utf-8"}}, true},
    {"a charset in quotes and capitals",
     {{"Content-Type", "application/json;Charset=\"UTF-8\""}},
     true},
    {"another parameter", {{"Content-Type", "application/json; profile=\"a;b\""}}, true},
    {"a semicolon alone", {{"Content-Type", "application/json;"}}, true},
    {"another charset", {{"Content-Type", "application/json; charset=latin1"}}, false},
    {"another type", {{"Content-Type", "text/plain"}}, false},
    {"a form, as pages can send it",
     {{"Content-Type", "application/x-www-form-urlencoded"}},
     false},
    {"a type that begins like it", {{"Content-Type", "application/json-seq"}}, false},
    {"a type that hides it", {{"Content-Type", "text/plain; application/json"}}, false},
    {"two types", {{"Content-Type", "application/json, text/plain"}}, false},
    {"two headers",
     {{"Content-Type", "application/json"}, {"Content-Type", "application/json"}},
     false},
    {"nothing", {{"Content-Type", ""}}, false},
    {"no header", {}, false},
};

TEST(EventStream, KnowsABodyOfJson) {
  for (const TypeCase& c : kTypes) {
    SCOPED_TRACE(std::string("1.3 step 1: ") + c.name);
    EXPECT_EQ(has_json_body(c.headers), c.json);
  }
}

}  // namespace
}  // namespace helve::mcp
