// The vector formats that this program answers, each by the library that owns it.
#include "commands/conform.h"
#include "host/conform.h"
#include "template/conform.h"

namespace helve::host {
namespace {

Answerer by_template(std::string format) {
  return [format = std::move(format)](const Json& test_case) {
    return tmpl::answer_case(format, test_case);
  };
}

}  // namespace

const Answerers& answerers() {
  static const Answerers kAnswerers = {
      {"ct-split/1", by_template("ct-split/1")},
      {"ct-expand/1", by_template("ct-expand/1")},
      {"ct-repeat/1", by_template("ct-repeat/1")},
      {"ct-compose/1", commands::answer_compose_case},
  };
  return kAnswerers;
}

}  // namespace helve::host
