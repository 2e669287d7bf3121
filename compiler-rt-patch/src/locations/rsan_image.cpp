// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modules of the process. They are read at the start, before any constructor runs; when the
// first constructor of an instrumented module runs, which the dynamic linker has relocated then;
// and after dlopen and dlclose.
//
// Rule: an object with static storage began with the bytes that its module had in memory when it
// was read. Data that may be written are copied. What the module's program headers call read-only,
// and what is read-only after relocation (RELRO), is not: it stays as it is. Neither are the parts
// that are not in the file (.bss): they are zero, except for what the dynamic linker has copied
// from a library to there (copy relocations). A thread-local object began with what its module has
// as the template.
//
// Deviation 1: a module that is loaded by dlopen and is not instrumented is read when its
// constructors have run. What they have stored counts as what it began with.
// Deviation 2: read-only data that the program makes writable, and code that is not seen writes,
// counts as unchanged.
// Deviation 3: thread-local memory of modules that are loaded by dlopen is not known here.

#include "locations/rsan_image.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include "common/rsan_source_name.h"
#include "port/rsan_tsan.h"

namespace __tsan {

namespace {

struct Part {
  uptr begin, end;
  u64 seen;     // the newest list of the dynamic linker's that has it
  u64 module;   // a hash of the module's name and address
  bool is_data; // it may be written
  bool is_code, is_known;
  char *copy;  // of data; null: there is no memory for one
  uptr copied; // bytes of the copy

  bool Has(uptr addr, uptr size) const { return begin <= addr && addr < end && size <= end - addr; }
};

struct Template {
  u64 seen, module;
  const char *bytes;
  uptr size;
  uptr offset; // of the memory that is made of it, from a thread's thread pointer
};

} // namespace

// The dynamic linker lets one thread at a time look at its list. Its lock is taken first, and this
// one for a short time, so whoever asks need not wait for a thread that loads a library.
static StaticSpinMutex mutex; // not in the child of a fork of several threads
static Vector<Part> *parts SANITIZER_GUARDED_BY(mutex); // by address
static Vector<Template> *templates SANITIZER_GUARDED_BY(mutex);
static Vector<uptr> *thread_pointers SANITIZER_GUARDED_BY(mutex);

bool RsanIsKnownLibrary(const char *path) {
  static const char *const names[] = {"libc.so",      "libc-2.",      "libm.so",      "libm-2.",
                                      "libmvec",      "libpthread",   "libdl.so",     "librt.so",
                                      "ld-linux",     "ld-2.",        "libstdc++.so", "libc++.so",
                                      "libc++abi.so", "libgcc_s.so",  "libunwind.so", "libanl.so",
                                      "[vdso]",       "libclang_rt.", "linux-vdso."};
  const char *name = StripModuleName(path);
  for (const char *known : names)
    if (internal_strncmp(name, known, internal_strlen(known)) == 0)
      return true;
  return false;
}

namespace {

// One module of the dynamic linker's list.
class Module {
public:
  explicit Module(const dl_phdr_info &info)
      : info_(info), stamp_(info.dlpi_adds + info.dlpi_subs),
        name_(info.dlpi_name ? info.dlpi_name : ""), module_(rsan_hash_line(info.dlpi_addr, name_)),
        is_known_(RsanIsKnownLibrary(name_)) {}

  void Read() SANITIZER_REQUIRES(mutex) {
    for (u32 i = 0; i < info_.dlpi_phnum; i++) {
      const ElfW(Phdr) &header = info_.dlpi_phdr[i];
      if (header.p_type == PT_GNU_RELRO)
        fixed_end_ = Address(header) + header.p_memsz, fixed_begin_ = Address(header);
      else if (header.p_type == PT_DYNAMIC)
        dynamic_ = reinterpret_cast<const ElfW(Dyn) *>(Address(header));
    }
    for (u32 i = 0; i < info_.dlpi_phnum; i++) {
      const ElfW(Phdr) &header = info_.dlpi_phdr[i];
      if (header.p_type == PT_LOAD)
        ReadSegment(header);
      else if (header.p_type == PT_TLS)
        ReadTemplate(header);
    }
    ReadCopied();
  }

private:
  uptr Address(const ElfW(Phdr) & header) const { return info_.dlpi_addr + header.p_vaddr; }

  void ReadSegment(const ElfW(Phdr) & header) SANITIZER_REQUIRES(mutex) {
    const uptr begin = Address(header), in_file = begin + header.p_filesz;
    const bool is_code = header.p_flags & PF_X;
    if (!(header.p_flags & PF_W)) {
      Add(begin, begin + header.p_memsz, false, is_code);
      return;
    }
    // In front of RELRO, RELRO, behind it.
    const uptr from = Max(begin, Min(fixed_begin_, in_file)),
               to = Min(Max(fixed_end_, from), in_file);
    Add(begin, from, true, is_code);
    Add(from, to, false, is_code);
    Add(to, in_file, true, is_code);
  }

  void ReadTemplate(const ElfW(Phdr) & header) SANITIZER_REQUIRES(mutex);
  void ReadCopied() SANITIZER_REQUIRES(mutex);
  void Add(uptr begin, uptr end, bool is_data, bool is_code) SANITIZER_REQUIRES(mutex);

  const dl_phdr_info &info_;
  const u64 stamp_;
  const char *const name_;
  const u64 module_;
  const bool is_known_;
  uptr fixed_begin_ = 0, fixed_end_ = 0;
  const ElfW(Dyn) *dynamic_ = nullptr;
};

} // namespace

// Pages of zeros take no memory in the copy.
static void CopyData(Part *part) {
  const uptr page = GetPageSizeCached(), size = RoundUpTo(part->end - part->begin, page);
  const uptr copy = internal_mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (internal_iserror(copy))
    return;
  part->copy = reinterpret_cast<char *>(copy);
  part->copied = size;
  for (uptr at = part->begin; at < part->end; at += page) {
    const char *from = reinterpret_cast<const char *>(at);
    const uptr length = Min(page, part->end - at);
    if (!mem_is_zero(from, length))
      internal_memcpy(part->copy + (at - part->begin), from, length);
  }
}

// The number of parts that begin before or at the address.
static uptr PartsUpTo(uptr addr) SANITIZER_REQUIRES(mutex) {
  uptr low = 0, high = parts->Size();
  while (low < high) {
    const uptr middle = (low + high) / 2;
    if ((*parts)[middle].begin <= addr)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void Module::Add(uptr begin, uptr end, bool is_data, bool is_code) {
  if (begin >= end)
    return;
  const uptr place = PartsUpTo(begin);
  for (uptr i = place; i > 0 && (*parts)[i - 1].begin == begin; i--) {
    Part &known = (*parts)[i - 1];
    if (known.end == end && known.module == module_ && known.is_data == is_data) {
      known.seen = Max(known.seen, stamp_);
      return;
    }
  }
  Part part = {begin, end, stamp_, module_, is_data, is_code, is_known_, nullptr, 0};
  if (is_data)
    CopyData(&part);
  parts->PushBack(part);
  for (uptr i = parts->Size() - 1; i > place; i--)
    Swap((*parts)[i], (*parts)[i - 1]);
}

// The memory of modules that are loaded at the start is at the same distance from each thread's
// thread pointer. That of others is not, if it is made on demand.
void Module::ReadTemplate(const ElfW(Phdr) & header) {
  for (uptr i = 0; i < templates->Size(); i++)
    if ((*templates)[i].module == module_) {
      (*templates)[i].seen = Max((*templates)[i].seen, stamp_);
      return;
    }
  if (ctx->initialized || !info_.dlpi_tls_data)
    return;
  const uptr here = reinterpret_cast<uptr>(__builtin_thread_pointer());
  templates->PushBack({stamp_, module_, reinterpret_cast<const char *>(Address(header)),
                       header.p_filesz, reinterpret_cast<uptr>(info_.dlpi_tls_data) - here});
}

// An entry of the module's table of what the dynamic linker has to do; 0: there is none. The linker
// may have made an address of an offset already.
static uptr Entry(const ElfW(Dyn) * dynamic, ElfW(Sxword) tag, uptr base, bool is_address) {
  for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
    if (dynamic->d_tag == tag) {
      const uptr value = dynamic->d_un.d_val;
      return is_address && value < base ? base + value : value;
    }
  return 0;
}

// Those that need no symbol come first, and DT_RELACOUNT says how many these are.
void Module::ReadCopied() {
#if defined(__x86_64__)
  const u32 kCopy = R_X86_64_COPY;
#else
  const u32 kCopy = R_AARCH64_COPY;
#endif
  const uptr base = info_.dlpi_addr;
  const auto *relocations =
      reinterpret_cast<const ElfW(Rela) *>(Entry(dynamic_, DT_RELA, base, true));
  const auto *symbols = reinterpret_cast<const ElfW(Sym) *>(Entry(dynamic_, DT_SYMTAB, base, true));
  const uptr count = Entry(dynamic_, DT_RELASZ, base, false) / sizeof *relocations;
  if (!relocations || !symbols)
    return;
  for (uptr i = Entry(dynamic_, DT_RELACOUNT, base, false); i < count; i++)
    if (ELF64_R_TYPE(relocations[i].r_info) == kCopy) {
      const uptr begin = base + relocations[i].r_offset;
      const uptr size = symbols[ELF64_R_SYM(relocations[i].r_info)].st_size;
      if (!(fixed_begin_ <= begin && begin < fixed_end_))
        Add(begin, begin + size, true, false);
    }
}

static int ReadModule(dl_phdr_info *info, size_t, void *stamp) {
  SpinMutexLock lock(&mutex);
  if (!parts) {
    parts = New<Vector<Part>>();
    templates = New<Vector<Template>>();
  }
  *static_cast<u64 *>(stamp) = info->dlpi_adds + info->dlpi_subs;
  Module(*info).Read();
  return 0;
}

// A list that is newer than `stamp` may have been read by another thread meanwhile.
static void ForgetOlder(u64 stamp) SANITIZER_REQUIRES(mutex) {
  uptr kept = 0;
  for (uptr i = 0; i < parts->Size(); i++) {
    const Part &part = (*parts)[i];
    if (part.seen >= stamp)
      (*parts)[kept++] = part;
    else if (part.copy)
      internal_munmap(part.copy, part.copied);
  }
  parts->Resize(kept);
  kept = 0;
  for (uptr i = 0; i < templates->Size(); i++)
    if ((*templates)[i].seen >= stamp)
      (*templates)[kept++] = (*templates)[i];
  templates->Resize(kept);
}

void RsanReadImages() {
  if (ctx->after_multithreaded_fork)
    return;
  u64 stamp = 0;
  dl_iterate_phdr(ReadModule, &stamp);
  SpinMutexLock lock(&mutex);
  if (parts)
    ForgetOlder(stamp);
}

// (Several copy relocations may have the same memory, and different sizes.)
static const Part *FindPart(uptr addr, uptr size) SANITIZER_REQUIRES(mutex) {
  const uptr kOverlapping = 8;
  uptr place = parts ? PartsUpTo(addr) : 0;
  for (uptr i = 0; place && i < kOverlapping; i++)
    if ((*parts)[--place].Has(addr, size))
      return &(*parts)[place];
  return nullptr;
}

bool RsanFindCode(uptr address, RsanCodePart *code) {
  SpinMutexLock lock(&mutex);
  const Part *part = FindPart(address, 1);
  if (!part || !part->is_code)
    return false;
  *code = {part->begin, part->end, part->is_known};
  return true;
}

bool RsanIsLoaded(uptr address, uptr size) {
  SpinMutexLock lock(&mutex);
  return FindPart(address, size);
}

static RsanBegins Compare(const char *began, uptr size, const void *bytes) {
  return internal_memcmp(began, bytes, size) ? kRsanBeginsElse : kRsanBeginsSo;
}

static RsanBegins CompareWithTemplate(uptr address, uptr size, const void *bytes)
    SANITIZER_REQUIRES(mutex) {
  for (uptr i = 0; thread_pointers && templates && i < thread_pointers->Size(); i++)
    for (uptr j = 0; j < templates->Size(); j++) {
      const Template &one = (*templates)[j];
      const uptr at = address - ((*thread_pointers)[i] + one.offset);
      if (at < one.size && size <= one.size - at)
        return Compare(one.bytes + at, size, bytes);
    }
  return kRsanBeginsUnknown;
}

RsanBegins RsanCompareWithImage(uptr address, uptr size, const void *bytes) {
  SpinMutexLock lock(&mutex);
  const Part *part = FindPart(address, size);
  if (!part)
    return CompareWithTemplate(address, size, bytes);
  if (!part->is_data)
    return kRsanBeginsSo;
  return part->copy ? Compare(part->copy + (address - part->begin), size, bytes) : kRsanBeginsLost;
}

void RsanTlsBegins() {
  if (ctx->after_multithreaded_fork)
    return;
  SpinMutexLock lock(&mutex);
  if (!thread_pointers)
    thread_pointers = New<Vector<uptr>>();
  thread_pointers->PushBack(reinterpret_cast<uptr>(__builtin_thread_pointer()));
}

void RsanTlsEnds() {
  if (ctx->after_multithreaded_fork)
    return;
  const uptr own = reinterpret_cast<uptr>(__builtin_thread_pointer());
  SpinMutexLock lock(&mutex);
  for (uptr i = thread_pointers ? thread_pointers->Size() : 0; i > 0; i--)
    if ((*thread_pointers)[i - 1] == own) {
      Swap((*thread_pointers)[i - 1], (*thread_pointers)[thread_pointers->Size() - 1]);
      thread_pointers->PopBack();
      return;
    }
}

} // namespace __tsan
