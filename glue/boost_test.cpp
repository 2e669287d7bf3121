// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports name the test case of Boost.Test that runs, also where Boost.Test is header-only: compile
// this file with the tests, and link it with them. Nothing else changes.
#include <boost/test/framework.hpp>
#include <boost/test/results_collector.hpp>
#include <boost/test/tree/observer.hpp>
#include <boost/test/tree/test_unit.hpp>
#include <rsan.h>

#include <limits>
#include <string>
#include <vector>

namespace {

class RSanObserver : public boost::unit_test::test_observer {
  void test_unit_start(const boost::unit_test::test_unit &unit) override {
    if (unit.p_type != boost::unit_test::TUT_CASE)
      return;
    const std::string name = unit.full_name(), filter = "--run_test=" + name;
    const char *const added[] = {filter.c_str(), nullptr};
    rsan_test_begin(name.c_str());
    rsan_test_arguments(added, nullptr);
  }

  void test_unit_finish(const boost::unit_test::test_unit &unit, unsigned long) override {
    if (unit.p_type != boost::unit_test::TUT_CASE)
      return;
    if (!boost::unit_test::results_collector.results(unit.p_id).passed())
      rsan_test_failed(nullptr);
    rsan_test_end();
  }

  // The last one, so that the result is known.
  int priority() override { return std::numeric_limits<int>::max(); }
};

RSanObserver observer;

[[maybe_unused]] const bool added = [] {
  boost::unit_test::framework::register_observer(observer);
  return true;
}();

} // namespace
