// Judges results of exercises on models, by models of our own in float64.
#pragma once

#include "lessons/coding/cases.h"

namespace rankscope {

CodeFaults judge_block(const CaseReports& in);
CodeFaults judge_sgd(const CaseReports& in);

}  // namespace rankscope
