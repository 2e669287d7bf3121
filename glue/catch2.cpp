// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports name the test case of Catch2 (2 or 3) that runs: compile this file with the tests, and
// link it with them. Nothing else changes.
#if __has_include(<catch2/reporters/catch_reporter_event_listener.hpp>)
#include <catch2/catch_test_case_info.hpp>
#include <catch2/interfaces/catch_interfaces_config.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
using RSanListenerBase = Catch::EventListenerBase;
#else
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <catch2/catch.hpp>
using RSanListenerBase = Catch::TestEventListenerBase;
#endif
#include <rsan.h>

#include <string>
#include <vector>

namespace {

class RSanListener : public RSanListenerBase {
public:
  using RSanListenerBase::RSanListenerBase;

  void testCaseStarting(Catch::TestCaseInfo const &test) override {
    const std::string only = pattern(test.name);
    const char *const added[] = {only.c_str(), nullptr};
    std::vector<const char *> dropped; // the names and tags that choose the tests of this run
    for (const std::string &word : m_config->getTestsOrTags())
      dropped.push_back(word.c_str());
    dropped.push_back(nullptr);
    rsan_test_begin(test.name.c_str());
    rsan_test_arguments(added, dropped.data());
  }

  void testCaseEnded(Catch::TestCaseStats const &test) override {
    if (test.totals.testCases.failed > 0)
      rsan_test_failed(nullptr);
    rsan_test_end();
  }

private:
  // Returns the name as an argument of Catch2.
  static std::string pattern(const std::string &name) {
    std::string text;
    for (const char c : name) {
      if (c == '\\' || c == ',' || c == '[')
        text += '\\';
      text += c;
    }
    return text;
  }
};

} // namespace

CATCH_REGISTER_LISTENER(RSanListener)
