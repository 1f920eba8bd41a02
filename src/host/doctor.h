// host/doctor.h
//
// `helve doctor`: what this machine has, what of it is used here, and how to get the rest.
#pragma once

#include "host/console.h"
#include "host/places.h"
#include "host/surroundings.h"

namespace helve::host {

struct DoctorCommand {
  Locations locations;
  bool json = false;
};

// 0; 1 if what the configuration asks for is not to be had here.
int doctor(const DoctorCommand& command, Console& console, const Surroundings& around);

}  // namespace helve::host
