#pragma once

#include "link/linked_trace.h"

namespace stepscope {

struct Advice;
struct Report;

// A trace and what was worked out from it: what text, JSON, CSV and the page show. Borrows all.
struct Reported {
  const LinkedTrace* linked;
  const Report* report;
  const Advice* advice = nullptr;  // none: findings are left empty and no rule counts as checked

  const Trace& trace() const { return linked->trace; }
};

}  // namespace stepscope
