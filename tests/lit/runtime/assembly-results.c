// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each piece of assembly does what it says, with -fsanitize-robustness-asm=x86 and without: its
// results, its flags and what it leaves in memory are the same.
//
// DEFINE: %{same} = FileCheck %s --implicit-check-not=ThreadSanitizer
// DEFINE: %{seen} = FileCheck %s --check-prefixes=SEEN,CHECK --implicit-check-not=ThreadSanitizer
// RUN: %build -O1 %s -o %t && %t 2>&1 | %{same}
// RUN: %build -O1 -fsanitize-robustness-asm=x86 %s -o %t && env RSAN_OPTIONS=clocks=explicit %t 2>&1 | %{seen}
// RUN: %build -O0 -fsanitize-robustness-asm=x86 %s -o %t && env RSAN_OPTIONS=clocks=explicit %t 2>&1 | %{seen}
// RUN: %build -O2 -fsanitize-robustness-asm=x86 -fsanitize-robustness-volatile=acq_rel %s -o %t && env RSAN_OPTIONS=clocks=explicit %t 2>&1 | %{seen}
// Objects here are accessed in several sizes. The explicit clocks leave them out, and say so, where
// assembly is seen.
// SEEN: ThreadSanitizer: {{[0-9]+}} accesses could not be checked: {{[0-9]+}} to objects that are accessed with several sizes
// CHECK: xadd 3 7 250 4
// CHECK-NEXT: xchg 5 9 6 8
// CHECK-NEXT: cmpxchg 1 1 7 0 7 7
// CHECK-NEXT: cmpxchg sete 0 8 1 8
// CHECK-NEXT: cmpxchg pointer 1 1 1 0
// CHECK-NEXT: dec 0 1
// CHECK-NEXT: add 15 inc 16 dec 0 1 sub 255
// CHECK-NEXT: logic 0x10 0x91 0x6e
// CHECK-NEXT: mov 11 12 0xfe 13
// CHECK-NEXT: others 21 22 23

#include <stdio.h>

struct dummy {
  unsigned long v[10];
};
#define HP(p) ((struct dummy *)(p))

static void xadd(void) {
  int i = 3, four = 4;
  unsigned char b = 250, more = 10;
  __asm__ volatile("lock; xaddl %0, %1" : "+r"(four), "+m"(*HP(&i)) : : "memory");
  __asm__ volatile("lock xaddb %1,%0" : "+m"(b), "+q"(more) : : "memory", "cc");
  printf("xadd %d %d %d %d\n", four, i, more, b);
}

static void xchg(void) {
  long l = 5, nine = 9;
  short s = 6, eight = 8;
  __asm__ volatile("xchgq %0, %1" : "=r"(nine), "+m"(*HP(&l)) : "0"(nine) : "memory");
  __asm__ volatile("xchg %1, %0" : "+m"(s), "+r"(eight) : : "memory");
  printf("xchg %ld %ld %d %d\n", nine, l, eight, s);
}

static int cas(int *p, int old, int new) {
  int result = old;
  __asm__ volatile("lock; cmpxchgl %2, %1" : "+a"(result), "+m"(*HP(p)) : "r"(new) : "memory");
  return result;
}

static int cas_flag(int *p, int old, int new, int *found) {
  int z;
  __asm__ volatile("lock cmpxchgl %3, %0"
                   : "+m"(*p), "=a"(*found), "=@ccz"(z)
                   : "q"(new), "a"(old)
                   : "memory");
  return z;
}

static int cas_set(long *p, long old, long new) {
  unsigned char success;
  __asm__ volatile("lock; cmpxchgq %2, %1; sete %0"
                   : "=q"(success), "=m"(*p)
                   : "r"(new), "m"(*p), "a"(old)
                   : "memory");
  return success;
}

// As concurrencykit has it: the flag in the register that the comparison was in, and in memory.
static int cas_ax(void *target, void *compare, void *set) {
  _Bool z;
  __asm__ volatile("lock "
                   "cmpxchgq"
                   " %2, %0; setz %1"
                   : "+m"(*(char *)target), "=a"(z)
                   : "q"(set), "a"(compare)
                   : "memory", "cc");
  return z;
}

static int dec_is_zero(unsigned *target) {
  _Bool ret;
  __asm__ volatile("lock "
                   "decl"
                   " %0; setz %1"
                   : "+m"(*target), "=rm"(ret)
                   :
                   : "memory", "cc");
  return ret;
}

static void cmpxchg(void) {
  int i = 1, found, was = cas(&i, 1, 7), failed = cas_flag(&i, 1, 9, &found);
  printf("cmpxchg %d %d %d %d %d %d\n", was, was == 1, i, failed, found, i);
  long l = 8;
  int first = cas_set(&l, 7, 9);
  long before = l;
  l = 9;
  int second = cas_set(&l, 9, 8);
  printf("cmpxchg sete %d %ld %d %ld\n", first, before, second, l);
  static int objects[2];
  int *p = &objects[0], *result = p;
  __asm__ volatile("lock; cmpxchgq %2, %1"
                   : "+a"(result), "+m"(*HP(&p))
                   : "r"(&objects[1])
                   : "memory");
  printf("cmpxchg pointer %d %d %d %d\n", result == &objects[0], p == &objects[1],
         cas_ax(&p, &objects[1], &objects[0]), cas_ax(&p, &objects[1], &objects[0]));
  unsigned two = 2;
  int zero = dec_is_zero(&two);
  printf("dec %d %d\n", zero, dec_is_zero(&two));
}

static void arithmetic(void) {
  int i = 10, j = 1;
  unsigned char b = 0, zero;
  __asm__ volatile("lock; addl %1, %0" : "+m"(i) : "ir"(5) : "memory");
  int added = i;
  __asm__ volatile("lock; incl %0" : "=m"(i) : "m"(i) : "memory");
  __asm__ volatile("lock; decl %0; sete %1" : "+m"(j), "=qm"(zero) : : "memory");
  __asm__ volatile("lock; subb %1, %0" : "+m"(b) : "iq"((unsigned char)1) : "memory");
  printf("add %d inc %d dec %d %d sub %d\n", added, i, j, zero, b);
}

static void logic(void) {
  unsigned i = 0x13, j = 0x11, k = 0x91;
  __asm__ volatile("lock; andl %1, %0" : "+m"(i) : "r"(~3u) : "memory");
  __asm__ volatile("lock; orl %1, %0" : "+m"(j) : "ir"(0x80) : "memory");
  __asm__ volatile("lock; xorl $0xff, %0" : "+m"(k) : : "memory");
  printf("logic %#x %#x %#x\n", i, j, k);
}

static void move(void) {
  int i = 11, loaded;
  long l = 0, to = 12;
  unsigned char b = 0, from;
  __asm__ volatile("movl %1, %0" : "=r"(loaded) : "m"(i) : "memory");
  __asm__ volatile("movq %1, %0" : "=m"(l) : "r"(to) : "memory");
  __asm__ volatile("movb %1, %0" : "=m"(b) : "iq"((unsigned char)0xfe) : "memory");
  __asm__ volatile("movb %1, %0" : "=q"(from) : "m"(b) : "memory");
  __asm__ volatile("movl $13, %0" : "=m"(i) : : "memory");
  printf("mov %d %ld %#x %d\n", loaded, l, from, i);
}

// Not of a usual form: they stay what they are.
static void others(void) {
  int i = 20, j = 0, k = 0;
  __asm__ volatile("lock; addl $1, (%0)" : : "r"(&i) : "memory");
  __asm__ volatile("movl $22, %%eax; xchgl %%eax, %0" : "+m"(j) : : "eax", "memory");
  __asm__("movl %1, %0" : "=r"(k) : "ir"(23));
  __asm__ volatile("lock; addl $0,0(%%rsp)" : : : "memory", "cc");
  __asm__ volatile("mfence" : : : "memory");
  __asm__ volatile("" : : : "memory");
  printf("others %d %d %d\n", i, j, k);
}

int main(void) {
  xadd();
  xchg();
  cmpxchg();
  arithmetic();
  logic();
  move();
  others();
}
