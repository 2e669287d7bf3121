// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of modelled functions. A module calls a function of another module through a pointer in its
// global offset table, which the dynamic linker fills in. The runtime replaces each such pointer to
// a modelled function by the address of a stub. Each function has its own stub, which takes the
// model's steps and calls the function. This works for modules of every compiler, however old. The
// stubs belong to the runtime, so rsan_calls.cpp knows that the calls are seen.
//
// Functions that a modelled call hands over to a library are called through stubs as well
// (rsan_models.cpp, run).
//
// The runtime must know when the program calls a function that is not instrumented, because that
// function may synchronise. In code of rsan-clang, RSan's pass adds calls that notify the
// runtime. GCC has no such pass. In a module that GCC compiled in part, the runtime therefore calls
// each such function through a stub, and the stub notifies it (rsan_calls.h).
//
// A stub preserves the registers for arguments and results. It copies up to 128 words of arguments
// from the caller's stack, and reads nothing beyond the end of that stack.
//
// Deviation 1: calls of functions that are a part of the module that calls them, and calls through
// pointers that dlsym has returned, are not modelled.
// Deviation 2: stubs exist on x86-64 only, and do not preserve the upper halves of AVX-512
// registers.
// Deviation 3: a module that takes the address of such a function gets the stub's address. A
// library that compares this address with the one that it has itself finds them different.

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include "interceptors/rsan_calls.h"
#include "interceptors/rsan_models.h"
#include "locations/rsan_image.h"

namespace __tsan {

#if defined(__x86_64__)

static const u32 kMostStubs = 4096; // as many as the assembly has
static const uptr kStubSize = 8;

// What each stub calls. An entry is written before the first pointer to its stub, and never again.
// The entries are found by open addressing: `numbers` has an entry's number plus 1, or 0.
static StaticSpinMutex stubs_mutex;
static RsanModelStub stubs[kMostStubs];
static u16 numbers[2 * kMostStubs] SANITIZER_GUARDED_BY(stubs_mutex);
static u32 stub_count SANITIZER_GUARDED_BY(stubs_mutex);

// Functions that are not instrumented and have no model.
static const RsanModel unseen_model = {};

// How many modules had been loaded when calls were last watched, plus 1; 0: they never were.
static atomic_uint64_t watched;

#endif

} // namespace __tsan

using namespace __tsan;

#if defined(__x86_64__)

// Called by the assembly below, with the stub's number, the arguments in registers, and where the
// call came from. Returns the function.
// What it writes to `frame` is named in the assembly.
struct RsanStubFrame {
  u64 words, kept;
};

// How many words may be read from there on: all of the thread's stack. If it is another stack, only
// the rest of its page is known to belong to it. The number is even, so that the stack stays
// aligned.
static u64 WordsOnStack(const ThreadState *thr, uptr begin) {
  const u64 most = 128, least = 16;
  const uptr end = thr->stk_addr + thr->stk_size;
  if (thr->stk_addr <= begin && begin < end)
    return Min<u64>(most, (end - begin) / sizeof(uptr) & ~1ull);
  const uptr page = GetPageSizeCached(), rest = page - begin % page;
  return Min<u64>(most, Max<u64>(least, rest / sizeof(uptr) & ~1ull));
}

extern "C" __attribute__((visibility("hidden"), used)) uptr rsan_model_enter(u32 number,
                                                                             uptr *arguments,
                                                                             uptr pc,
                                                                             RsanStubFrame *frame) {
  ThreadState *thr = cur_thread_init();
  frame->words = WordsOnStack(thr, reinterpret_cast<uptr>(&arguments[kRsanArgumentsOnStack]));
  if (stubs[number].model == &unseen_model)
    RsanCallsUnseen(thr, stubs[number].function, arguments);
  else
    frame->kept = RsanEnterModel(thr, pc, stubs[number], arguments);
  return stubs[number].function;
}

// Can the processor say whether the upper halves of AVX registers are in use?
extern "C" __attribute__((visibility("hidden"), used)) u8 rsan_stub_asks_avx;
u8 rsan_stub_asks_avx;

static void AskProcessor() {
  u32 a, b, c, d;
  const u32 kAvx = 1u << 28 | 1u << 27, kXgetbv1 = 1u << 2;
  if (__get_cpuid(1, &a, &b, &c, &d) && (c & kAvx) == kAvx &&
      __get_cpuid_count(13, 1, &a, &b, &c, &d))
    rsan_stub_asks_avx = (a & kXgetbv1) != 0;
}

extern "C" __attribute__((visibility("hidden"), used)) void
rsan_model_leave(u32 number, uptr *arguments, uptr pc, uptr result, u64 kept) {
  if (stubs[number].model == &unseen_model)
    RsanCalledUnseen(cur_thread());
  else
    RsanLeaveModel(cur_thread(), pc, stubs[number], arguments, result, static_cast<u32>(kept));
}

// Stub N is a call at 8 * N of the first one, and pushes its own end, from which N follows. Then
// %rbp is pushed, and is the frame's. The frame, below %rbp: the function (8 bytes), the registers
// that arguments or results are in (192 bytes, from -200 on), an RsanStubFrame (16 bytes), whether
// AVX registers are in use (8 bytes), a gap, these registers (256 bytes), the arguments on the
// stack. Above: the stub's end, the return address, the caller's arguments on the stack, which are
// kRsanArgumentsOnStack words above the registers.
asm(R"(
  .text
  .p2align 4
  .type rsan_model_stubs,@function
  .hidden rsan_model_stubs
  .globl rsan_model_stubs
rsan_model_stubs:
  .cfi_startproc
  .rept 4096
  .p2align 3
  call rsan_model_common
  .endr
  .cfi_endproc
  .size rsan_model_stubs, . - rsan_model_stubs

  // Goes to the next label 1 unless the upper halves of AVX registers are in use.
  .macro rsan_ask_for_avx
  movq $0, -224(%rbp)
  cmpb $0, rsan_stub_asks_avx(%rip)
  je 1f
  movl $1, %ecx
  xgetbv
  andl $4, %eax
  movq %rax, -224(%rbp)
  je 1f
  .endm

  .type rsan_model_common,@function
rsan_model_common:
  .cfi_startproc
  .cfi_def_cfa_offset 16
  pushq %rbp
  .cfi_def_cfa_offset 24
  .cfi_offset %rbp, -24
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  subq $488, %rsp
  movq %rdi, -200(%rbp)
  movq %rsi, -192(%rbp)
  movq %rdx, -184(%rbp)
  movq %rcx, -176(%rbp)
  movq %r8, -168(%rbp)
  movq %r9, -160(%rbp)
  movq %rax, -152(%rbp)
  movq %r10, -144(%rbp)
  movaps %xmm0, -136(%rbp)
  movaps %xmm1, -120(%rbp)
  movaps %xmm2, -104(%rbp)
  movaps %xmm3, -88(%rbp)
  movaps %xmm4, -72(%rbp)
  movaps %xmm5, -56(%rbp)
  movaps %xmm6, -40(%rbp)
  movaps %xmm7, -24(%rbp)
  rsan_ask_for_avx
  vmovups %ymm0, -488(%rbp)
  vmovups %ymm1, -456(%rbp)
  vmovups %ymm2, -424(%rbp)
  vmovups %ymm3, -392(%rbp)
  vmovups %ymm4, -360(%rbp)
  vmovups %ymm5, -328(%rbp)
  vmovups %ymm6, -296(%rbp)
  vmovups %ymm7, -264(%rbp)
1:
  movq 8(%rbp), %rdi
  leaq rsan_model_stubs(%rip), %rsi
  subq %rsi, %rdi
  shrq $3, %rdi
  leaq -200(%rbp), %rsi
  movq 16(%rbp), %rdx
  leaq -216(%rbp), %rcx
  call rsan_model_enter
  movq %rax, -8(%rbp)
  movq -216(%rbp), %rcx
  leaq (,%rcx,8), %rax
  subq %rax, %rsp
  leaq 24(%rbp), %rsi
  movq %rsp, %rdi
  rep movsq
  movq -200(%rbp), %rdi
  movq -192(%rbp), %rsi
  movq -184(%rbp), %rdx
  movq -176(%rbp), %rcx
  movq -168(%rbp), %r8
  movq -160(%rbp), %r9
  movq -152(%rbp), %rax
  movq -144(%rbp), %r10
  movaps -136(%rbp), %xmm0
  movaps -120(%rbp), %xmm1
  movaps -104(%rbp), %xmm2
  movaps -88(%rbp), %xmm3
  movaps -72(%rbp), %xmm4
  movaps -56(%rbp), %xmm5
  movaps -40(%rbp), %xmm6
  movaps -24(%rbp), %xmm7
  cmpq $0, -224(%rbp)
  je 1f
  vmovups -488(%rbp), %ymm0
  vmovups -456(%rbp), %ymm1
  vmovups -424(%rbp), %ymm2
  vmovups -392(%rbp), %ymm3
  vmovups -360(%rbp), %ymm4
  vmovups -328(%rbp), %ymm5
  vmovups -296(%rbp), %ymm6
  vmovups -264(%rbp), %ymm7
1:
  call *-8(%rbp)
  movq %rax, -152(%rbp)
  movq %rdx, -144(%rbp)
  movaps %xmm0, -136(%rbp)
  movaps %xmm1, -120(%rbp)
  rsan_ask_for_avx
  vmovups %ymm0, -488(%rbp)
  vmovups %ymm1, -456(%rbp)
1:
  movq 8(%rbp), %rdi
  leaq rsan_model_stubs(%rip), %rsi
  subq %rsi, %rdi
  shrq $3, %rdi
  leaq -200(%rbp), %rsi
  movq 16(%rbp), %rdx
  movq -152(%rbp), %rcx
  movq -208(%rbp), %r8
  call rsan_model_leave
  movq -152(%rbp), %rax
  movq -144(%rbp), %rdx
  movaps -136(%rbp), %xmm0
  movaps -120(%rbp), %xmm1
  cmpq $0, -224(%rbp)
  je 1f
  vmovups -488(%rbp), %ymm0
  vmovups -456(%rbp), %ymm1
1:
  leave
  .cfi_def_cfa %rsp, 16
  addq $8, %rsp
  .cfi_def_cfa_offset 8
  retq
  .cfi_endproc
  .size rsan_model_common, . - rsan_model_common
)");

extern "C" __attribute__((visibility("hidden"))) const char rsan_model_stubs[];

#endif

namespace __tsan {

#if defined(__x86_64__)

namespace {

// A pointer to a function that may be modelled.
struct Slot {
  uptr *at;
  const char *symbol;
  uptr module_begin, module_end; // where it points before the dynamic linker has bound it
  bool is_fixed;                 // read-only after relocation
  bool is_variable;              // the program may store another pointer there
  bool is_watched;               // the call has a stub if the function is not instrumented
};

struct Slots {
  Vector<Slot> found;
  Vector<const char *> libraries;
};

// The pointers of one module.
class SlotFinder {
public:
  SlotFinder(const dl_phdr_info &info, Slots *slots) : info_(info), slots_(slots) {
    for (u32 i = 0; i < info.dlpi_phnum; i++) {
      const ElfW(Phdr) &header = info.dlpi_phdr[i];
      const uptr begin = info.dlpi_addr + header.p_vaddr, end = begin + header.p_memsz;
      if (header.p_type == PT_DYNAMIC)
        dynamic_ = reinterpret_cast<const ElfW(Dyn) *>(begin);
      else if (header.p_type == PT_GNU_RELRO)
        fixed_begin_ = begin, fixed_end_ = end;
      else if (header.p_type == PT_LOAD)
        begin_ = Min(begin_, begin), end_ = Max(end_, end);
    }
  }

  void Find() {
    if (!dynamic_)
      return;
    symbols_ = reinterpret_cast<const ElfW(Sym) *>(Entry(DT_SYMTAB, true));
    strings_ = reinterpret_cast<const char *>(Entry(DT_STRTAB, true));
    if (!symbols_ || !strings_)
      return;
    const Table calls = {Entry(DT_JMPREL, true), Entry(DT_PLTRELSZ, false)};
    const Table others = {Entry(DT_RELA, true), Entry(DT_RELASZ, false)};
    is_watched_ = atomic_load_relaxed(&watched) &&
                  (!*info_.dlpi_name || IsInstrumented(calls) || IsInstrumented(others));
    FindIn(calls);
    FindIn(others);
  }

private:
  // The dynamic linker may have made an address of an offset already.
  uptr Entry(ElfW(Sxword) tag, bool is_address) const {
    for (const ElfW(Dyn) *entry = dynamic_; entry->d_tag != DT_NULL; entry++)
      if (entry->d_tag == tag) {
        const uptr value = entry->d_un.d_val;
        return is_address && value < info_.dlpi_addr ? info_.dlpi_addr + value : value;
      }
    return 0;
  }

  // A table of relocations.
  struct Table {
    uptr begin, size;

    uptr Count() const { return begin ? size / sizeof(ElfW(Rela)) : 0; }
    const ElfW(Rela) & At(uptr i) const { return reinterpret_cast<const ElfW(Rela) *>(begin)[i]; }
  };

  const ElfW(Sym) & SymbolOf(const ElfW(Rela) & entry) const {
    return symbols_[ELF64_R_SYM(entry.r_info)];
  }

  bool IsInstrumented(const Table &table) const {
    for (uptr i = 0; i < table.Count(); i++)
      if (internal_strcmp(strings_ + SymbolOf(table.At(i)).st_name, "__tsan_init") == 0)
        return true;
    return false;
  }

  void FindIn(const Table &table) {
    for (uptr i = 0; i < table.Count(); i++) {
      const ElfW(Rela) &entry = table.At(i);
      const uptr type = ELF64_R_TYPE(entry.r_info);
      const bool is_pointer = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
                              (type == R_X86_64_64 && !entry.r_addend);
      const ElfW(Sym) &symbol = SymbolOf(entry);
      if (!is_pointer || symbol.st_shndx != SHN_UNDEF)
        continue;
      const uptr at = info_.dlpi_addr + entry.r_offset;
      const bool is_fixed = fixed_begin_ <= at && at < fixed_end_;
      const bool is_watched = is_watched_ && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
      if (is_watched || RsanMayBeModelled(strings_ + symbol.st_name))
        slots_->found.PushBack({reinterpret_cast<uptr *>(at), strings_ + symbol.st_name, begin_,
                                end_, is_fixed, type == R_X86_64_64 && !is_fixed, is_watched});
    }
  }

  const dl_phdr_info &info_;
  Slots *const slots_;
  const ElfW(Dyn) *dynamic_ = nullptr;
  const ElfW(Sym) *symbols_ = nullptr;
  const char *strings_ = nullptr;
  uptr fixed_begin_ = 0, fixed_end_ = 0, begin_ = ~0ull, end_ = 0;
  bool is_watched_ = false;
};

} // namespace

static int FindSlots(dl_phdr_info *info, size_t, void *into) {
  auto *slots = static_cast<Slots *>(into);
  const char *name = info->dlpi_name ? info->dlpi_name : "";
  slots->libraries.PushBack(internal_strdup(StripModuleName(name)));
  if (!*name || !RsanIsKnownLibrary(name))
    SlotFinder(*info, slots).Find();
  return 0;
}

static uptr AddressOf(const RsanModelStub *stub) {
  return reinterpret_cast<uptr>(rsan_model_stubs) + static_cast<uptr>(stub - stubs) * kStubSize;
}

// Returns the function's entry, or null; *number is then where the number of a new entry belongs.
static RsanModelStub *FindStub(const RsanModel *model, uptr function, u16 **number)
    SANITIZER_REQUIRES(stubs_mutex) {
  const u64 key = (reinterpret_cast<uptr>(model) ^ function * 31) * 0x9e3779b97f4a7c15ull;
  for (uptr at = key >> 51;; at = (at + 1) % ARRAY_SIZE(numbers)) {
    RsanModelStub *stub = numbers[at] ? &stubs[numbers[at] - 1] : nullptr;
    *number = &numbers[at];
    if (!stub || (stub->model == model && stub->function == function))
      return stub;
  }
}

static void SayNoStubs() {
  static atomic_uint8_t said;
  if (!atomic_exchange(&said, 1, memory_order_relaxed))
    Printf(
        "ThreadSanitizer: more than %u functions have models or are handed over to modelled "
        "ones, or are not instrumented and called by code of GCC: what calls of the others order "
        "may be reported; take lines out of the file of models=, or compile libraries with RSan\n",
        kMostStubs);
}

const RsanModelStub *RsanStubOf(const RsanModel *model, uptr function, uptr *address) {
  const RsanModelStub *found;
  {
    SpinMutexLock lock(&stubs_mutex);
    u16 *number;
    RsanModelStub *stub = FindStub(model, function, &number);
    if (!stub && stub_count < kMostStubs) {
      stub = &stubs[stub_count++];
      *stub = {model, function};
      *number = static_cast<u16>(stub_count);
    }
    found = stub;
  }
  if (!found)
    SayNoStubs();
  else
    *address = AddressOf(found);
  return found;
}

static bool IsStub(uptr function) {
  return function - reinterpret_cast<uptr>(rsan_model_stubs) < kMostStubs * kStubSize;
}

// Unless the program has stored another pointer there meanwhile.
static void WriteSlot(const Slot &slot, uptr old, uptr function) {
  const uptr page = GetPageSizeCached();
  const uptr begin = RoundDownTo(reinterpret_cast<uptr>(slot.at), page);
  void *memory = reinterpret_cast<void *>(begin);
  if (slot.is_fixed && internal_mprotect(memory, page, PROT_READ | PROT_WRITE) != 0)
    return;
  __atomic_compare_exchange_n(slot.at, &old, function, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
  if (slot.is_fixed)
    internal_mprotect(memory, page, PROT_READ);
}

static uptr FindSymbol(const Slot &slot) {
  return reinterpret_cast<uptr>(dlsym(RTLD_DEFAULT, slot.symbol));
}

static void ModelSlot(const Slot &slot, const Vector<const char *> &libraries) {
  const uptr found = *slot.at;
  if (!found || IsStub(found))
    return;
  const RsanModel *model = RsanFindModel(slot.symbol, libraries);
  const bool is_bound = found < slot.module_begin || found >= slot.module_end;
  if (!model && slot.is_watched && is_bound && RsanIsUnseen(found))
    model = &unseen_model;
  if (!model || (slot.is_variable && found != FindSymbol(slot)))
    return;
  const uptr function = is_bound ? found : FindSymbol(slot);
  uptr address;
  if (function && RsanStubOf(model, function, &address))
    WriteSlot(slot, found, address);
}

static int CountLoaded(dl_phdr_info *info, size_t, void *count) {
  *static_cast<u64 *>(count) = info->dlpi_adds;
  return 1;
}

// All instrumented modules are watched: who has compiled a module is not known where its
// constructor has passed on to the runtime by a jump.
void RsanWatchModules() {
  if (!rsan_flags()->unseen_calls || !RsanEngine())
    return;
  u64 loaded = 0;
  dl_iterate_phdr(CountLoaded, &loaded);
  if (atomic_exchange(&watched, loaded + 1, memory_order_relaxed) != loaded + 1)
    RsanModelLibraries();
}

// dlsym is called when the dynamic linker's list is no longer locked.
void RsanModelLibraries() {
  if (!RsanHasModels() && !atomic_load_relaxed(&watched))
    return;
  AskProcessor();
  Slots slots;
  dl_iterate_phdr(FindSlots, &slots);
  for (uptr i = 0; i < slots.found.Size(); i++)
    ModelSlot(slots.found[i], slots.libraries);
  for (uptr i = 0; i < slots.libraries.Size(); i++)
    InternalFree(const_cast<char *>(slots.libraries[i]));
}

#else

const RsanModelStub *RsanStubOf(const RsanModel *, uptr, uptr *) {
  return nullptr;
}

void RsanModelLibraries() {}

void RsanWatchModules() {}

#endif

} // namespace __tsan
