// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports name the test case of doctest that runs: compile this file with the tests, and link it
// with them. Nothing else changes.
#include <doctest/doctest.h>
#include <rsan.h>

#include <string>

namespace {

// Returns the name as an argument of doctest, which takes a comma for the end of a name.
std::string pattern(const char *name) {
  std::string text;
  for (; *name; name++) {
    if (*name == ',')
      text += '\\';
    text += *name;
  }
  return text;
}

class RSanListener : public doctest::IReporter {
public:
  explicit RSanListener(const doctest::ContextOptions &) {}

  void test_case_start(const doctest::TestCaseData &test) override {
    const std::string filter = "--test-case=" + pattern(test.m_name);
    const char *const added[] = {filter.c_str(), nullptr};
    rsan_test_begin(test.m_name);
    rsan_test_arguments(added, nullptr);
  }

  void test_case_reenter(const doctest::TestCaseData &) override {}

  void test_case_end(const doctest::CurrentTestCaseStats &test) override {
    if (!test.testCaseSuccess)
      rsan_test_failed(nullptr);
    rsan_test_end();
  }

  void report_query(const doctest::QueryData &) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats &) override {}
  void test_case_exception(const doctest::TestCaseException &) override {}
  void subcase_start(const doctest::SubcaseSignature &) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData &) override {}
  void log_message(const doctest::MessageData &) override {}
  void test_case_skipped(const doctest::TestCaseData &) override {}
};

} // namespace

REGISTER_LISTENER("rsan", 0, RSanListener);
