// "serve" of a configuration file: where `helve serve` listens, and the names it is called by.
#include "host/address.h"
#include "host/detail/fields.h"
#include "host/detail/reader.h"

namespace helve::host {
namespace {

bool is_fit(std::string_view name, std::string_view field) {
  return field == "hosts" ? is_host_name(name) : is_origin(name);
}

Refusal invalid(std::string_view name, std::string_view field) {
  const Texts args = {{"name", std::string(name)}};
  if (field == "hosts") return refuse("config.serve_host_invalid", args).error();
  return refuse("config.serve_origin_invalid", args).error();
}

Refusal untrusted(const char* field) {
  return refuse("config.serve_untrusted", {{"field", field}}).error();
}

}  // namespace

void Reader::read_serve(const Json* serve, bool trusted) {
  if (serve == nullptr || !serve->is_object()) return;
  const JsonObject& object = serve->get_object();
  check_object(object, "/serve", serve_fields(),
               [&](const std::string& at, Refusal why) { report(at, std::move(why)); });
  if (const Json* listen = find(object, "listen")) read_listen(*listen, trusted);
  read_names(object, "hosts", trusted, config.serve.hosts);
  read_names(object, "origins", trusted, config.serve.origins);
}

// A project may choose the port, so that two of them can run side by side; never more than that.
void Reader::read_listen(const Json& listen, bool trusted) {
  if (!listen.is_string()) return;
  const Result<Address> address = parse_address(as_text(listen));
  if (!address) return report("/serve/listen", address.error());
  if (!address->loopback && !trusted) return report("/serve/listen", untrusted("listen"));
  config.serve.listen = as_text(listen);
}

void Reader::read_names(const JsonObject& serve, const char* field, bool trusted,
                        std::vector<std::string>& into) {
  const Json* names = find(serve, field);
  if (names == nullptr || !names->is_array() || names->get_array().empty()) return;
  const std::string pointer = pointer_to("/serve", field);
  if (!trusted) return report(pointer, untrusted(field));
  for (size_t i = 0; i < names->get_array().size(); ++i) {
    const Json& name = names->get_array()[i];
    if (!name.is_string()) continue;
    if (is_fit(as_text(name), field)) {
      into.emplace_back(as_text(name));
    } else {
      report(pointer_to(pointer, i), invalid(as_text(name), field));
    }
  }
}

}  // namespace helve::host
