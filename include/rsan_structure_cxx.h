/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The part of rsan_structure.h for C++17 and up, which includes it: rsan::structure.
 */

#ifndef RSAN_STRUCTURE_H
#error "include rsan_structure.h"
#endif
#ifndef RSAN_STRUCTURE_CXX_H
#define RSAN_STRUCTURE_CXX_H

#include <memory>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace rsan {

/* The values that an operation is called with: integers, truth values, or of an enumeration. */
template <typename Value> struct values_ {
  std::vector<int64_t> list;
  bool is_fresh = false;
};
/* Each call of a scenario gets a value of its own. */
template <typename Value = int> values_<Value> fresh() {
  return {{}, true};
}
template <typename Value, typename... Values> values_<Value> values(Value first, Values... more) {
  static_assert(std::is_integral_v<Value> || std::is_enum_v<Value>,
                "RSan: a value is an integer, a truth value, or of an enumeration");
  return {{static_cast<int64_t>(first), static_cast<int64_t>(static_cast<Value>(more))...}, false};
}

template <typename Result> struct result_of_ {
  static int64_t number(const Result &result) {
    static_assert(std::is_integral_v<Result> || std::is_enum_v<Result>,
                  "RSan: an operation returns nothing, an integer, a truth value, an enumeration, "
                  "or a std::optional of these: use a lambda that does");
    return static_cast<int64_t>(result);
  }
};
template <> struct result_of_<bool> {
  static int64_t number(bool result) { return result ? RSAN_RESULT_TRUE : RSAN_RESULT_FALSE; }
};
template <typename Value> struct result_of_<std::optional<Value>> {
  static int64_t number(const std::optional<Value> &result) {
    return result ? result_of_<Value>::number(*result) : RSAN_RESULT_NONE;
  }
};

/* Calls it, and makes a number of what it returns. (std::invoke would be in each stack.) */
template <typename Function, typename Object, typename... Values>
RSAN_INLINE_ decltype(auto) invoke_(Function &function, Object &object, Values &&...values) {
  if constexpr (std::is_member_function_pointer_v<Function>)
    return (object.*function)(std::forward<Values>(values)...);
  else
    return function(object, std::forward<Values>(values)...);
}
template <typename Function, typename Object, typename... Values>
RSAN_INLINE_ int64_t call_(Function &function, Object &object, Values &&...values) {
  typedef decltype(invoke_(function, object, std::forward<Values>(values)...)) result_type;
  if constexpr (std::is_void_v<result_type>) {
    invoke_(function, object, std::forward<Values>(values)...);
    return RSAN_RESULT_NOTHING;
  } else {
    return result_of_<std::decay_t<result_type>>::number(
        invoke_(function, object, std::forward<Values>(values)...));
  }
}

/* Recognises member functions such as `bool pop(int &)`, which store their result in their
 * argument. `type` is the type of that argument. */
template <typename Function> struct place_ {
  static constexpr bool is = false;
};
template <typename Class, typename Value> struct place_<bool (Class::*)(Value &)> {
  static constexpr bool is = !std::is_const_v<Value>;
  typedef Value type;
};
template <typename Class, typename Value>
struct place_<bool (Class::*)(Value &) noexcept> : place_<bool (Class::*)(Value &)> {};
template <typename Class, typename Value>
struct place_<bool (Class::*)(Value &) const> : place_<bool (Class::*)(Value &)> {};
template <typename Class, typename Value>
struct place_<bool (Class::*)(Value &) const noexcept> : place_<bool (Class::*)(Value &)> {};

/* Objects of one type, one at a time. */
template <typename Object, typename... Arguments> class maker_ {
public:
  explicit maker_(Arguments... arguments) : arguments_(std::move(arguments)...) {}
  static void *create(const void *maker) {
    maker_ *self = const_cast<maker_ *>(static_cast<const maker_ *>(maker));
    return std::apply([&](auto &...each) { return ::new (self->room_) Object(each...); },
                      self->arguments_);
  }
  static void destroy(void *object, const void *) { static_cast<Object *>(object)->~Object(); }

private:
  std::tuple<Arguments...> arguments_;
  alignas(Object) unsigned char room_[sizeof(Object)];
};

/* A function as an operation's `call' and `context'. */
struct any_operation_ {
  virtual ~any_operation_() {}
};
template <typename Object, typename Function, typename Value>
struct operation_ final : any_operation_ {
  mutable Function made_of;
  explicit operation_(Function function) : made_of(std::move(function)) {}
  static int64_t call(void *object, int64_t value, const void *context) {
    Function &function = static_cast<const operation_ *>(context)->made_of;
    Object &self = *static_cast<Object *>(object);
    (void)value;
    if constexpr (!std::is_void_v<Value>) {
      return call_(function, self, static_cast<Value>(value));
    } else if constexpr (place_<Function>::is) {
      typename place_<Function>::type place{};
      return invoke_(function, self, place)
                 ? result_of_<typename place_<Function>::type>::number(place)
                 : RSAN_RESULT_NONE;
    } else {
      return call_(function, self);
    }
  }
};

template <typename Object, typename... Arguments> class structure_ {
public:
  explicit structure_(Arguments... arguments) : maker_of_(std::move(arguments)...) {}

  /* An operation that takes one of the values: a member function, or a function of the object and
   * the value. */
  template <typename Function, typename Value>
  structure_ &op(const char *name, Function function, values_<Value> values) {
    add<Object, Function, Value>(operations_, name, std::move(function));
    operations_.back().is_fresh = values.is_fresh;
    values_of_.push_back(std::move(values.list));
    return *this;
  }
  /* An operation that takes none. A member function `bool f(T &)` returns what it puts there, or
   * none. */
  template <typename Function> structure_ &op(const char *name, Function function) {
    add<Object, Function, void>(operations_, name, std::move(function));
    values_of_.emplace_back();
    return *this;
  }
  /* In each scenario, one thread makes all calls of the operations of this role. The operation that
   * was added last gets the role. */
  structure_ &by_one(const char *role) {
    operations_.back().role = role;
    return *this;
  }

  /* The operation that was added last may return false, or none, at any time, and has no effect
   * then. */
  structure_ &may_fail() {
    operations_.back().may_fail = true;
    return *this;
  }

  /* Sets the model, which gives the right results: one function of a Model (and of the value) for
   * each operation, in the order of the operations. */
  template <typename Model, typename... Functions> structure_ &model(Functions... functions) {
    static maker_<Model> maker;
    model_.create = maker_<Model>::create;
    model_.destroy = maker_<Model>::destroy;
    model_.context = &maker;
    (add_to_model<Model>(functions), ...);
    return *this;
  }

  structure_ &name(const char *name) { return structure_of_.name = name, *this; }
  structure_ &threads(unsigned most) { return structure_of_.threads = most, *this; }
  structure_ &calls(unsigned most) { return structure_of_.calls = most, *this; }
  structure_ &most_calls(unsigned most) { return structure_of_.most_calls = most, *this; }

  int check() { return rsan_structure_check(finish()); }
  int only(const char *scenario) { return rsan_structure_check_only(finish(), scenario); }

private:
  template <typename Self, typename Function, typename Value>
  void add(std::vector<rsan_operation> &to, const char *name, Function function) {
    typedef operation_<Self, Function, Value> made_type;
    functions_.push_back(std::make_shared<made_type>(std::move(function)));
    to.push_back({name, made_type::call, static_cast<made_type *>(functions_.back().get()), nullptr,
                  0, false, nullptr, false});
  }
  template <typename Model, typename Function> void add_to_model(Function function) {
    if constexpr (std::is_invocable_v<Function &, Model &, int64_t>)
      add<Model, Function, int64_t>(models_, "", std::move(function));
    else
      add<Model, Function, void>(models_, "", std::move(function));
  }
  const rsan_structure *finish() {
    for (size_t i = 0; i < operations_.size(); i++) {
      operations_[i].values = values_of_[i].data();
      operations_[i].value_count = static_cast<unsigned>(values_of_[i].size());
    }
    structure_of_.create = maker_<Object, Arguments...>::create;
    structure_of_.destroy = maker_<Object, Arguments...>::destroy;
    structure_of_.context = &maker_of_;
    structure_of_.operations = operations_.data();
    structure_of_.operation_count = static_cast<unsigned>(operations_.size());
    model_.operations = models_.data();
    model_.operation_count = static_cast<unsigned>(models_.size());
    structure_of_.model = model_.create ? &model_ : nullptr;
    return &structure_of_;
  }

  maker_<Object, Arguments...> maker_of_;
  std::vector<std::shared_ptr<any_operation_>> functions_;
  std::vector<std::vector<int64_t>> values_of_;
  std::vector<rsan_operation> operations_, models_;
  rsan_structure structure_of_ = {}, model_ = {};
};

/* The structure Object(arguments...). */
template <typename Object, typename... Arguments>
structure_<Object, std::decay_t<Arguments>...> structure(Arguments &&...arguments) {
  return structure_<Object, std::decay_t<Arguments>...>(std::forward<Arguments>(arguments)...);
}

} // namespace rsan

#endif
