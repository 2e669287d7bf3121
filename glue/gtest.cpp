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
    rsan_test_begin((std::string(test.test_suite_name()) + "." + test.name()).c_str());
  }

  void OnTestEnd(const testing::TestInfo &) override { rsan_test_end(); }
};

// GoogleTest owns it.
[[maybe_unused]] const bool added = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new RSanListener);
  return true;
}();

} // namespace
