#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "present/json_writer.h"
#include "present/style.h"
#include "ranks/flight_recorder.h"

namespace stepscope {

// What dumps of the flight recorder say about a job that hangs; `failed` could not be read.
std::string FlightText(std::span<const FlightDump> dumps, std::span<const FlightFinding> findings,
                       std::span<const Error> failed, const Style& style);
// stepscope.ranks/1 with the key `flight_recorder`.
void WriteFlightJson(std::span<const FlightDump> dumps, std::span<const FlightFinding> findings,
                     std::span<const Error> failed, JsonWriter& json);

}  // namespace stepscope
