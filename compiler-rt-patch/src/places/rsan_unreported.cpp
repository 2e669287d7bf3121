// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is not reported, and why: true findings that nobody but the authors of the C++ standard
// library, or Rust's, can do anything about. (What users suppress is TSan's affair, what is
// harmless by a rule of the model the core's.) system_headers=1 reports all of it.
//
// 1. A violation of which both places are inside the library: the place of the access, and that of
//    the write that it may miss. Their orders are the library's, and so is what it makes of an old
//    value. The place of an access is the innermost function of its stack, inlined ones included,
//    that only passes on what somebody else wrote:
//      - members of std::atomic, std::atomic_ref and the like, but wait, notify_one and notify_all,
//        which are algorithms of the library's;
//      - algorithms on ranges, calls of callables, construction: Passes() has the list;
//      - the user's own wrappers (rsan_place.h).
//    So `flag.load()` and `std::count(flags, flags + n, 1)` are the user's, and what std::barrier
//    loads is the library's.
// 2. A violation of which the access is the load inside std::atomic's wait. The write that it may
//    miss is any store of the user's; what is out of order is the library's count of waiters
//    (libstdc++'s notify_one and notify_all read it after that store, and wait counts itself in and
//    reads the value). Repair: make the store and the wait seq_cst, as they are by default.
// 3. Data races inside libstdc++'s atomic<shared_ptr> and atomic<weak_ptr>: load and a failed
//    compare-exchange read the pointer under a lock that they release with memory_order_relaxed.
//    Data races with the deletion of a shared pointer's counts in libc++, too: weak_ptr and the
//    last shared_ptr count down inside libc++.so, which is not instrumented.
//
// A function is inside the library if its file is in a folder of the library's headers, or, where
// no file is known (a program built without -g), if it is in namespace std or __gnu_cxx and its
// name has no names but theirs: a function of the user's may be inlined in
// std::thread::_State_impl<...main::$_0...>::_M_run(). Functions that were inlined are known with
// -g only, and none without a symbolizer: then everything is reported.

#include "common/rsan_source_name.h"
#include "places/rsan_place.h"

namespace __tsan {

// LLVM's OpenMP library is not instrumented and comes with Archer, which tells by annotations what
// the library synchronises, and asks that what the library does itself be ignored. What GNU's
// synchronises is modelled (rsan_shipped_models.inc); it allocates and copies tasks itself.
#define RSAN_OPENMP "called_from_lib:libomp.so\ncalled_from_lib:libgomp.so\n"

// What Qt's thread pool does itself, under locks inside the library: with memory, and with the
// condition variables of its threads. A stack has a function of the library only if it calls the C
// library itself, so races of what the pool's threads run are reported.
#define RSAN_QT                                                                                    \
  "race:QThreadPoolPrivate::\nrace:QThreadPoolThread::\nrace:QWaitCondition::~QWaitCondition\n"

const char *RsanLibrarySuppressions() {
  return rsan_flags()->system_headers ? RSAN_OPENMP RSAN_QT
                                      : RSAN_OPENMP RSAN_QT
             "race_top:std::_Sp_atomic<\n"
             "race:std::__1::*::__on_zero_shared_weak()\n";
}

// Whose code a place is in. Passed: nobody's, the caller's is asked for.
enum Owner : u8 { kPassed, kUser, kLibrary, kLibraryWait };

static atomic_uint64_t hidden;

// .../include/c++/12/bits/atomic_base.h, .../include/x86_64-linux-gnu/c++/12/..., .../c++/v1/atomic
static bool IsLibraryFile(const char *file) {
  const char *include = internal_strstr(file, "include/");
  for (const char *at = include; at && (at = internal_strstr(at, "/c++/")); at++)
    if ((at[5] >= '0' && at[5] <= '9') || rsan_starts_with(at + 5, "v1/"))
      return true;
  return false;
}

// The owner of a file of Rust's standard library; kUser: it is no such file. core has atomics and
// functions that call what they are given; most of alloc is containers, which have no atomics. The
// atomics, locks, channels and thread parking of std, the counts of Arc and the test harness are
// the library's own.
static Owner OwnerInRust(const char *file) {
  const char *rust = internal_strstr(file, "rust");
  if (!rust)
    return kUser;
  if (internal_strstr(rust, "/library/std/src/") || internal_strstr(rust, "/library/test/src/") ||
      internal_strstr(rust, "/library/alloc/src/sync.rs"))
    return kLibrary;
  return internal_strstr(rust, "/library/core/src/") || internal_strstr(rust, "/library/alloc/src/")
             ? kPassed
             : kUser;
}

static bool PassesFile(const char *file) {
  static const char *const passing[] = {
      // libstdc++
      "/bits/stl_algo.h", "/bits/stl_algobase.h", "/bits/stl_numeric.h", "/bits/ranges_algo.h",
      "/bits/ranges_algobase.h", "/bits/ranges_util.h", "/bits/predefined_ops.h", "/bits/invoke.h",
      "/bits/std_function.h", "/bits/stl_function.h", "/bits/refwrap.h", "/bits/move.h",
      "/bits/stl_construct.h", "/bits/stl_uninitialized.h", "/numeric", "/functional", "/tuple",
      "/variant", "/optional", "/utility",
      // libc++
      "/__algorithm/", "/__numeric/", "/__functional/", "/__utility/", "/__type_traits/",
      "/__memory/construct_at.h", "/__memory/uninitialized_algorithms.h"};
  for (const char *name : passing) {
    const char *found = internal_strstr(file, name);
    uptr length = internal_strlen(name);
    if (found && (name[length - 1] == '/' || !found[length]))
      return true;
  }
  return false;
}

// The qualified name of a demangled function without its return type, up to its parameters: a
// member or lambda of a function is named after that function.
static const char *QualifiedName(const char *function) {
  const char *start = function;
  uptr depth = 0;
  for (const char *at = function; *at; at++) {
    bool in_name = at > start && (at[-1] == '_' || at[-1] >= '0');
    if (!depth && !in_name && rsan_starts_with(at, "operator"))
      break;
    if (*at == '(' && !depth && at == start && rsan_starts_with(at, "(anonymous"))
      depth++;
    else if (*at == '(' && !depth && !(at - start == 8 && rsan_starts_with(start, "decltype")))
      break;
    else if (*at == '<' || *at == '(' || *at == '[' || *at == '{')
      depth++;
    else if (*at == '>' || *at == ')' || *at == ']' || *at == '}')
      depth -= depth > 0 && !(*at == '>' && at > function && at[-1] == '-');
    else if (*at == ' ' && !depth)
      start = at + 1;
  }
  return start;
}

// What comes after `std::` or an inline namespace in it; null: it is in no namespace of the
// library's.
static const char *NameInLibrary(const char *name) {
  if (rsan_starts_with(name, "__gnu_cxx::"))
    return name + 11;
  if (!rsan_starts_with(name, "std::"))
    return nullptr;
  name += 5;
  if (rsan_starts_with(name, "__") && name[2] >= '0' && name[2] <= '9') { // std::__1::
    const char *end = internal_strstr(name, "::");
    return end ? end + 2 : name;
  }
  return name;
}

// Is all that a demangled name names the library's or the language's? A function that is given by a
// pointer may be the user's.
static bool NamesLibraryAlone(const char *name) {
  static const char *const known[] = {
      "std",      "__gnu_cxx", "const",    "volatile", "unsigned", "signed",  "char",    "short",
      "int",      "long",      "float",    "double",   "bool",     "void",    "wchar_t", "char8_t",
      "char16_t", "char32_t",  "__int128", "true",     "false",    "operator"};
  if (internal_strstr(name, "(*)"))
    return false;
  for (const char *at = name; *at;) {
    const char *word = at;
    while (rsan_is_identifier(*at))
      at++;
    const uptr length = static_cast<uptr>(at - word);
    bool is_known = !length || (*word >= '0' && *word <= '9') ||
                    (word > name + 1 && word[-1] == ':' && word[-2] == ':');
    for (const char *one : known)
      is_known |= internal_strlen(one) == length && internal_strncmp(word, one, length) == 0;
    if (!is_known || *word == '$')
      return false;
    at += *at && at == word;
  }
  return true;
}

// The member after a class and its template arguments: "load" of "__atomic_base<int>::load(...)".
static const char *Member(const char *name) {
  uptr depth = 0;
  for (; *name; name++) {
    depth += *name == '<';
    depth -= depth > 0 && *name == '>';
    if (!depth && rsan_starts_with(name, "::"))
      return name + 2;
    if (!depth && *name == '(')
      break;
  }
  return "";
}

static bool IsWord(const char *text, const char *word) {
  return rsan_starts_with(text, word) && !rsan_is_identifier(text[internal_strlen(word)]);
}

// The owner of a function in the library, by what comes after `std::`.
static Owner OwnerByName(const char *name) {
  static const char *const classes[] = {"atomic",
                                        "atomic_ref",
                                        "atomic_flag",
                                        "__atomic_base",
                                        "__atomic_float",
                                        "__atomic_ref",
                                        "__atomic_impl",
                                        "__atomic_flag_base",
                                        "__cxx_atomic_impl",
                                        "__cxx_atomic_base_impl"};
  static const char *const waits[] = {"wait", "notify_one", "notify_all"};
  static const char *const algorithms[] = {
      "__atomic_wait",   "__atomic_spin",        "__detail::__waiter", "__detail::__atomic_spin",
      "__atomic_notify", "__detail::__platform", "__cxx_atomic_wait",  "__libcpp_atomic"};
  for (const char *algorithm : algorithms)
    if (rsan_starts_with(name, algorithm))
      return kLibraryWait;
  for (const char *one : classes) {
    if (!IsWord(name, one))
      continue;
    const char *member = Member(name);
    for (const char *wait : waits)
      if (IsWord(member, wait))
        return kLibraryWait;
    return kPassed;
  }
  // atomic_load_explicit and its like, __cxx_atomic_load
  bool passes = rsan_starts_with(name, "atomic_") || rsan_starts_with(name, "__cxx_atomic_");
  return passes ? kPassed : kLibrary;
}

static Owner OwnerOfFrame(const AddressInfo &info) {
  if (RsanIsWrapper(info))
    return kPassed;
  const char *name = info.function ? QualifiedName(info.function) : "";
  const char *in_library = NameInLibrary(name);
  // In Rust there are lines 0, of several that were merged, and no headers: the file is right.
  if (const Owner rust = info.file ? OwnerInRust(info.file) : kUser; rust != kUser)
    return rust;
  // Without a line it is what the symbol table calls the file: the translation unit's.
  const char *file = info.line > 0 ? info.file : nullptr;
  if (file ? !IsLibraryFile(file) : !in_library)
    return kUser;
  Owner owner = in_library ? OwnerByName(in_library) : kLibrary;
  if (!file && owner == kLibrary && !NamesLibraryAlone(name))
    return kUser;
  return owner == kLibrary && file && PassesFile(file) ? kPassed : owner;
}

u8 RsanWhose(const SymbolizedStack *frames) {
  Owner owner = kPassed;
  for (const SymbolizedStack *frame = frames; frame && owner == kPassed; frame = frame->next)
    owner = OwnerOfFrame(frame->info);
  return owner;
}

static Owner OwnerOf(StackTrace stack) { // outermost frame first
  u8 owner = kPassed;
  for (uptr i = stack.size; i > 0 && owner == kPassed; i--)
    owner = RsanPointAt(stack.trace[i - 1]).whose;
  return static_cast<Owner>(owner);
}

static bool IsLibrary(Owner owner) {
  return owner == kLibrary || owner == kLibraryWait;
}

bool RsanIsUnreported(const RsanFlagged &flagged, StackTrace access, StackTrace missed) {
  if (rsan_flags()->system_headers || !RsanHasSymbolizer())
    return false;
  Owner owner = OwnerOf(access);
  bool waits = owner == kLibraryWait && flagged.access.kind == RSAN_READ;
  if (!waits && !(IsLibrary(owner) && IsLibrary(OwnerOf(missed))))
    return false;
  atomic_fetch_add(&hidden, 1, memory_order_relaxed);
  return true;
}

u64 RsanUnreportedCount() {
  return atomic_load_relaxed(&hidden);
}

} // namespace __tsan
