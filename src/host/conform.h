// host/conform.h
//
// `helve conform FILE`: answers the cases of a vector file on the real code, one JSON line per
// case, and says how they compare with what the file expects. Main thread only.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "host/console.h"
#include "host/surroundings.h"

namespace helve::host {

// The answer to one case of a format, such as "ct-split/1".
using Answerer = std::function<Result<Json>(const Json& test_case)>;
using Answerers = std::map<std::string, Answerer, std::less<>>;

// Every format that this program knows.
const Answerers& answerers();

// kRefused if a case failed or could not be answered. Refused: conform.not_a_vector_file {file},
// conform.unknown_format {format, known}, and what reading refuses.
int conform(const std::filesystem::path& file, Console& console, const Surroundings& around,
            const Answerers& formats = answerers());

// Whether `actual` has every member of `expect`, as the formats mean it: calls may have null, "" or
// no stdin alike, and any order where `free_order`.
bool meets(const Json& expect, const Json& actual, bool free_order);

}  // namespace helve::host
