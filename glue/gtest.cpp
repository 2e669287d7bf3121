// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports name the test of GoogleTest that runs: compile this file with the tests, and link it with
// them. Nothing else changes.
#include <gtest/gtest.h>
#include <rsan.h>

#include <string>

namespace {

class RSanListener : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo &test) override {
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    const std::string filter = "--gtest_filter=" + name;
    const char *const added[] = {filter.c_str(), nullptr};
    failed_ = false;
    rsan_test_begin(name.c_str());
    rsan_test_arguments(added, nullptr);
  }

  void OnTestPartResult(const testing::TestPartResult &result) override {
    if (!result.failed() || failed_)
      return;
    failed_ = true;
    const std::string file = result.file_name() ? result.file_name() : "";
    rsan_test_failed(
        (file + ":" + std::to_string(result.line_number()) + ": " + result.message()).c_str());
  }

  void OnTestEnd(const testing::TestInfo &) override { rsan_test_end(); }

  bool failed_ = false; // that was said
};

// GoogleTest owns it.
[[maybe_unused]] const bool added = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new RSanListener);
  return true;
}();

} // namespace
