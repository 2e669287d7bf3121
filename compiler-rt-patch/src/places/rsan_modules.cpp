// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "places/rsan_modules.h"

#include <dlfcn.h>
#include <link.h>

#include "interception/interception.h"
#include "port/rsan_tsan.h"

DECLARE_REAL(void *, dlopen, const char *, int)
DECLARE_REAL(int, dlclose, void *)

namespace __tsan {

namespace {

// Libraries loaded and unloaded so far, as the dynamic linker counts.
struct Counts {
  u64 loaded = 0, unloaded = 0;
};

struct Modules {
  Counts counts;
  ListOfModules linked, others; // what the dynamic linker has, what /proc/self/maps has
};

} // namespace

static Mutex mutex; // of what follows
static Modules *modules SANITIZER_GUARDED_BY(mutex);
static Vector<const char *> *names SANITIZER_GUARDED_BY(mutex);

static Counts ReadCounts() {
  Counts counts;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *into) {
        static_cast<Counts *>(into)->loaded = info->dlpi_adds;
        static_cast<Counts *>(into)->unloaded = info->dlpi_subs;
        return 1;
      },
      &counts);
  return counts;
}

u64 RsanReadModules() {
  Modules *now = New<Modules>(), *old = now;
  now->counts = ReadCounts();
  now->linked.init();
  now->others.fallbackInit();
  const u64 unloaded = now->counts.unloaded;
  {
    Lock lock(&mutex);
    // If two threads come here at once, the first to look may be the last to lock.
    if (!modules || modules->counts.loaded + modules->counts.unloaded <=
                        now->counts.loaded + now->counts.unloaded) {
      old = modules;
      modules = now;
    }
  }
  if (old)
    DestroyAndFree(old);
  return unloaded;
}

static const char *Intern(const char *name) SANITIZER_REQUIRES(mutex) {
  if (!names)
    names = New<Vector<const char *>>();
  for (uptr i = 0; i < names->Size(); i++)
    if (!internal_strcmp((*names)[i], name))
      return (*names)[i];
  names->PushBack(internal_strdup(name));
  return (*names)[names->Size() - 1];
}

static const char *Find(const ListOfModules &list, uptr address, uptr *offset)
    SANITIZER_REQUIRES(mutex) {
  for (const LoadedModule &module : list) {
    if (!module.containsAddress(address))
      continue;
    *offset = address - module.base_address();
    return Intern(module.full_name());
  }
  return nullptr;
}

static const char *FindKnown(uptr address, uptr *offset) {
  Lock lock(&mutex);
  if (!modules)
    return nullptr;
  const char *name = Find(modules->linked, address, offset);
  return name ? name : Find(modules->others, address, offset);
}

static u64 KnownLoads() {
  Lock lock(&mutex);
  return modules ? modules->counts.loaded : 0;
}

const char *RsanModuleAt(uptr address, uptr *offset) {
  const char *name = FindKnown(address, offset);
  // In a library's initialisers, before dlopen returns; else it is code that the program has made.
  if (!name && ReadCounts().loaded != KnownLoads()) {
    RsanReadModules();
    name = FindKnown(address, offset);
  }
  return name;
}

static int IsInModule(dl_phdr_info *info, size_t, void *address) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    uptr offset = reinterpret_cast<uptr>(address) - info->dlpi_addr - segment.p_vaddr;
    if (segment.p_type == PT_LOAD && offset < segment.p_memsz)
      return 1;
  }
  return 0;
}

// The dynamic linker has no list of where to look from a library that was loaded as a dependency of
// another one, and dlsym crashes there. dlopen makes the list.
void *RsanFunctionFor(uptr caller, const char *name) {
  Dl_info info;
  link_map *map = nullptr;
  if (!dladdr1(reinterpret_cast<void *>(caller), &info, reinterpret_cast<void **>(&map),
               RTLD_DL_LINKMAP) ||
      !map)
    return nullptr;
  void *handle = REAL(dlopen)(*map->l_name ? map->l_name : nullptr, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle)
    return nullptr;
  void *function = dlsym(handle, name);
  REAL(dlclose)(handle);
  return function;
}

bool RsanIsInModule(uptr address) {
  return dl_iterate_phdr(IsInModule, reinterpret_cast<void *>(address));
}

} // namespace __tsan
