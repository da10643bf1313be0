#pragma once

#include "advise/evidence.h"
#include "advise/rule.h"

// Rules for the order of a tensor's elements: convolutions in NCHW, kernels that only re-order.
namespace stepscope {

RuleVerdict ConvLayout(const Evidence& e);
RuleVerdict LayoutTranspose(const Evidence& e);

}  // namespace stepscope
