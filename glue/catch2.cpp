// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports name the test case of Catch2 (2 or 3) that runs: compile this file with the tests, and
// link it with them. Nothing else changes.
#if __has_include(<catch2/reporters/catch_reporter_event_listener.hpp>)
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
using RSanListenerBase = Catch::EventListenerBase;
#else
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <catch2/catch.hpp>
using RSanListenerBase = Catch::TestEventListenerBase;
#endif
#include <rsan.h>

namespace {

class RSanListener : public RSanListenerBase {
public:
  using RSanListenerBase::RSanListenerBase;

  void testCaseStarting(Catch::TestCaseInfo const &test) override {
    rsan_test_begin(test.name.c_str());
  }

  void testCaseEnded(Catch::TestCaseStats const &) override { rsan_test_end(); }
};

} // namespace

CATCH_REGISTER_LISTENER(RSanListener)
