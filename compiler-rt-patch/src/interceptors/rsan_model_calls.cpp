// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of modelled functions. A module calls a function of another module through a pointer in its
// global offset table, which the dynamic linker fills in. The runtime replaces each such pointer to
// a modelled function by the address of a stub. Each function has its own stub, which takes the
// model's steps and calls the function. This works for modules of every compiler, however old. The
// stubs belong to the runtime, so rsan_calls.cpp knows that the calls are seen.
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

static const u32 kMostStubs = 256; // as many as the assembly has
static const uptr kStubSize = 16;

// What each stub calls. An entry is written before the first pointer to its stub, and never again.
struct ModelStub {
  const RsanModel *model;
  uptr function;
};

static StaticSpinMutex stubs_mutex;
static ModelStub stubs[kMostStubs];
static u32 stub_count SANITIZER_GUARDED_BY(stubs_mutex);

#endif

} // namespace __tsan

using namespace __tsan;

#if defined(__x86_64__)

// Called by the assembly below, with the stub's number, the arguments in registers, and where the
// call came from. Returns the function.
extern "C" __attribute__((visibility("hidden"), used)) uptr rsan_model_enter(u32 number,
                                                                             const uptr *arguments,
                                                                             uptr pc) {
  RsanEnterModel(cur_thread_init(), pc, *stubs[number].model, arguments);
  return stubs[number].function;
}

extern "C" __attribute__((visibility("hidden"), used)) void
rsan_model_leave(u32 number, const uptr *arguments, uptr pc, uptr result) {
  RsanLeaveModel(cur_thread(), pc, *stubs[number].model, arguments, result);
}

// Stub N pushes N. Then %rbp is pushed, and is the frame's. The frame, below %rbp: the function (8
// bytes), the registers that arguments or results are in (192 bytes, from -200 on), the arguments
// on the stack (128 bytes). Above: N, the return address, the caller's arguments on the stack.
asm(R"(
  .text
  .p2align 4
  .type rsan_model_stubs,@function
  .hidden rsan_model_stubs
  .globl rsan_model_stubs
rsan_model_stubs:
  .cfi_startproc
  .cfi_def_cfa_offset 16
  .set rsan_stub_number, 0
  .rept 256
  .p2align 4
  pushq $rsan_stub_number
  jmp rsan_model_common
  .set rsan_stub_number, rsan_stub_number + 1
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
  subq $200, %rsp
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
  movl 8(%rbp), %edi
  leaq -200(%rbp), %rsi
  movq 16(%rbp), %rdx
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
  movl 8(%rbp), %edi
  leaq -200(%rbp), %rsi
  movq 16(%rbp), %rdx
  movq %rax, %rcx
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

static uptr StubOf(const RsanModel *model, uptr function) {
  SpinMutexLock lock(&stubs_mutex);
  u32 number = 0;
  while (number < stub_count &&
         (stubs[number].model != model || stubs[number].function != function))
    number++;
  if (number == kMostStubs)
    return 0;
  if (number == stub_count)
    stubs[stub_count++] = {model, function};
  return reinterpret_cast<uptr>(rsan_model_stubs) + number * kStubSize;
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
  if (const uptr stub = function ? StubOf(model, function) : 0)
    WriteSlot(slot, stub);
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

void RsanModelLibraries() {}

#endif

} // namespace __tsan
