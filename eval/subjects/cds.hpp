// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcds wants to be initialised, and to know the threads that use it.

#ifndef RSAN_EVAL_CDS_HPP
#define RSAN_EVAL_CDS_HPP

#include <cds/gc/hp.h>
#include <cds/init.h>

#include "stress.hpp"

namespace stress {

struct cds_scope {
  cds_scope() { cds::threading::Manager::attachThread(); }
  ~cds_scope() { cds::threading::Manager::detachThread(); }
};

struct cds_library {
  cds_library() { cds::Initialize(); }
  ~cds_library() { cds::Terminate(); }
};

} // namespace stress

#endif
