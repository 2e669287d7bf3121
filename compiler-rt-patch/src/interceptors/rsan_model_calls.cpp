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
// A stub preserves the registers for arguments and results, and copies the first 16 words of
// arguments on the stack.
//
// Deviation 1: calls of functions that are a part of the module that calls them, and calls through
// pointers that dlsym has returned, are not modelled.
// Deviation 2: on x86-64 only.

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>

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

#endif

} // namespace __tsan

using namespace __tsan;

#if defined(__x86_64__)

// Called by the assembly below, with the stub's number, the arguments in registers, and where the
// call came from. Returns the function.
extern "C" __attribute__((visibility("hidden"), used)) uptr rsan_model_enter(u32 number,
                                                                             uptr *arguments,
                                                                             uptr pc, u64 *kept) {
  *kept = RsanEnterModel(cur_thread_init(), pc, stubs[number], arguments);
  return stubs[number].function;
}

extern "C" __attribute__((visibility("hidden"), used)) void
rsan_model_leave(u32 number, uptr *arguments, uptr pc, uptr result, u64 kept) {
  RsanLeaveModel(cur_thread(), pc, stubs[number], arguments, result, static_cast<u32>(kept));
}

// Stub N is a call at 8 * N of the first one, and pushes its own end, from which N follows. Then
// %rbp is pushed, and is the frame's. The frame, below %rbp: the function (8 bytes), the registers
// that arguments or results are in (192 bytes, from -200 on), what is kept (8 bytes), a gap, the
// arguments on the stack (128 bytes). Above: the stub's end, the return address, the caller's
// arguments on the stack, which are kRsanArgumentsOnStack words above the registers.
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

  .type rsan_model_common,@function
rsan_model_common:
  .cfi_startproc
  .cfi_def_cfa_offset 16
  pushq %rbp
  .cfi_def_cfa_offset 24
  .cfi_offset %rbp, -24
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  subq $216, %rsp
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
  movq 8(%rbp), %rdi
  leaq rsan_model_stubs(%rip), %rsi
  subq %rsi, %rdi
  shrq $3, %rdi
  leaq -200(%rbp), %rsi
  movq 16(%rbp), %rdx
  leaq -208(%rbp), %rcx
  call rsan_model_enter
  movq %rax, -8(%rbp)
  subq $128, %rsp
  .set rsan_stack_word, 0
  .rept 16
  movq 24+8*rsan_stack_word(%rbp), %r11
  movq %r11, 8*rsan_stack_word(%rsp)
  .set rsan_stack_word, rsan_stack_word + 1
  .endr
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
  call *-8(%rbp)
  movq %rax, -152(%rbp)
  movq %rdx, -144(%rbp)
  movaps %xmm0, -136(%rbp)
  movaps %xmm1, -120(%rbp)
  movq 8(%rbp), %rdi
  leaq rsan_model_stubs(%rip), %rsi
  subq %rsi, %rdi
  shrq $3, %rdi
  leaq -200(%rbp), %rsi
  movq 16(%rbp), %rdx
  movq %rax, %rcx
  movq -208(%rbp), %r8
  call rsan_model_leave
  movq -152(%rbp), %rax
  movq -144(%rbp), %rdx
  movaps -136(%rbp), %xmm0
  movaps -120(%rbp), %xmm1
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
    FindIn(Entry(DT_JMPREL, true), Entry(DT_PLTRELSZ, false));
    FindIn(Entry(DT_RELA, true), Entry(DT_RELASZ, false));
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

  void FindIn(uptr table, uptr size) {
    const auto *entries = reinterpret_cast<const ElfW(Rela) *>(table);
    for (uptr i = 0; table && i < size / sizeof(*entries); i++) {
      const uptr type = ELF64_R_TYPE(entries[i].r_info);
      const bool is_pointer = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
                              (type == R_X86_64_64 && !entries[i].r_addend);
      const ElfW(Sym) &symbol = symbols_[ELF64_R_SYM(entries[i].r_info)];
      if (!is_pointer || symbol.st_shndx != SHN_UNDEF)
        continue;
      const uptr at = info_.dlpi_addr + entries[i].r_offset;
      if (RsanMayBeModelled(strings_ + symbol.st_name))
        slots_->found.PushBack({reinterpret_cast<uptr *>(at), strings_ + symbol.st_name, begin_,
                                end_, fixed_begin_ <= at && at < fixed_end_});
    }
  }

  const dl_phdr_info &info_;
  Slots *const slots_;
  const ElfW(Dyn) *dynamic_ = nullptr;
  const ElfW(Sym) *symbols_ = nullptr;
  const char *strings_ = nullptr;
  uptr fixed_begin_ = 0, fixed_end_ = 0, begin_ = ~0ull, end_ = 0;
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
    Printf("ThreadSanitizer: more than %u functions have models or are handed over to modelled "
           "ones: the others are not modelled, and may be reported for what they order; take "
           "lines out of the file of models=\n",
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

static void WriteSlot(const Slot &slot, uptr function) {
  const uptr page = GetPageSizeCached();
  const uptr begin = RoundDownTo(reinterpret_cast<uptr>(slot.at), page);
  void *memory = reinterpret_cast<void *>(begin);
  if (slot.is_fixed && internal_mprotect(memory, page, PROT_READ | PROT_WRITE) != 0)
    return;
  __atomic_store_n(slot.at, function, __ATOMIC_RELEASE);
  if (slot.is_fixed)
    internal_mprotect(memory, page, PROT_READ);
}

static void ModelSlot(const Slot &slot, const Vector<const char *> &libraries) {
  uptr function = *slot.at;
  if (!function || IsStub(function))
    return;
  const RsanModel *model = RsanFindModel(slot.symbol, libraries);
  if (!model)
    return;
  if (slot.module_begin <= function && function < slot.module_end) // not bound yet
    function = reinterpret_cast<uptr>(dlsym(RTLD_DEFAULT, slot.symbol));
  uptr address;
  if (function && RsanStubOf(model, function, &address))
    WriteSlot(slot, address);
}

// dlsym is called when the dynamic linker's list is no longer locked.
void RsanModelLibraries() {
  if (!RsanHasModels())
    return;
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

#endif

} // namespace __tsan
