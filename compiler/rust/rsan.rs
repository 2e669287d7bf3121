// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//! RSan's annotations for Rust, as rsan.h has them for C. Put this file into your crate and name it with `mod rsan;`. It
//! depends on nothing. Without `cargo rsan` (which sets `cfg(rsan)`) the waits are loops and the rest is nothing.
//!
//!     rsan::wait(&flag, 1, Ordering::Acquire);           // until it is 1
//!     let found = rsan::wait_while(&slot, 0, Acquire);   // until it is not 0; what it is
//!     let _region = rsan::Benign::new();                 // to the end of the block: not judged
#![allow(dead_code)]

use core::sync::atomic::*;

#[cfg(rsan)]
extern "C" {
    fn __rsan_ignore_begin();
    fn __rsan_ignore_end();
    fn __rsan_violation_count() -> core::ffi::c_ulong;
    fn __rsan_track(object: *const core::ffi::c_void, size: core::ffi::c_uint, value: u64);
    fn __rsan_choose(count: core::ffi::c_uint) -> core::ffi::c_uint;
    fn __rsan_assume_fails();
    fn __rsan_check(
        setup: extern "C" fn(*mut core::ffi::c_void),
        count: core::ffi::c_uint,
        threads: *const extern "C" fn(*mut core::ffi::c_void),
        check: extern "C" fn(*mut core::ffi::c_void) -> bool,
        argument: *mut core::ffi::c_void,
    ) -> core::ffi::c_int;
    fn __tsan_acquire(address: *mut core::ffi::c_void);
    fn __tsan_release(address: *mut core::ffi::c_void);
}

/// Is the code compiled by `cargo rsan`?
pub const fn is_instrumented() -> bool {
    cfg!(rsan)
}

/// How many accesses were flagged so far in this process.
pub fn violation_count() -> u64 {
    #[cfg(rsan)]
    return unsafe { __rsan_violation_count() } as u64;
    #[cfg(not(rsan))]
    0
}

/// One of 0..count, all of them where `rsan check` explores; else 0.
pub fn choose(count: u32) -> u32 {
    #[cfg(rsan)]
    return unsafe { __rsan_choose(count) };
    #[cfg(not(rsan))]
    {
        assert!(count > 0);
        0
    }
}

/// Executions in which `holds` is false are of no interest, and are given up (rsan_assume of rsan.h).
pub fn assume(holds: bool) {
    #[cfg(rsan)]
    if !holds {
        unsafe { __rsan_assume_fails() }
    }
    let _ = holds;
}

#[cfg(not(target_os = "none"))]
pub use self::checking::*;

#[cfg(not(target_os = "none"))]
mod checking {
    extern crate std;
    #[cfg(rsan)]
    use super::__rsan_check;
    use std::boxed::Box;

    /// What `check` says. Without `cargo rsan` there are Proved and Failed alone, of one execution.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Verdict {
        /// All executions were made, and none shows anything.
        Proved,
        /// The check has returned false where nothing was explored.
        Failed,
        /// The program has other threads: give a test program `--test-threads=1`.
        Usage,
        /// No finding, but the lines behind the verdict say what is missing.
        NotProved,
        /// Violations, data races, failed checks, deadlocks, livelocks: they are printed.
        Found,
        /// Violations, and whatever C++20 allows is as it should be.
        Harmless,
    }

    /// The most threads of `check`.
    pub const MOST_THREADS: usize = 8;

    struct Test<'a, S> {
        setup: &'a dyn Fn() -> S,
        threads: &'a [&'a (dyn Fn(&S) + Sync)],
        check: &'a dyn Fn(&S) -> bool,
        state: *mut S, // on the heap, so that each execution begins with memory that nobody has accessed
    }

    extern "C" fn set_up<S>(test: *mut core::ffi::c_void) {
        let test = unsafe { &mut *(test as *mut Test<S>) };
        test.state = Box::into_raw(Box::new((test.setup)()));
    }

    extern "C" fn run<S, const THREAD: usize>(test: *mut core::ffi::c_void) {
        let test = unsafe { &*(test as *const Test<S>) };
        (test.threads[THREAD])(unsafe { &*test.state })
    }

    extern "C" fn look<S>(test: *mut core::ffi::c_void) -> bool {
        let test = unsafe { &mut *(test as *mut Test<S>) };
        let state = unsafe { Box::from_raw(test.state) };
        (test.check)(&state)
    }

    /// Explores all executions of the threads on what `setup` makes, each time anew; `check` looks at it when they are through.
    /// Findings are printed, and the verdict. Threads are fibers of the caller, which must be the program's only thread: a test
    /// of `cargo rsan test` needs `-- --test-threads=1`. They may not panic, nor start threads (rsan_check of rsan.h).
    ///
    ///     let verdict = rsan::check(|| AtomicU32::new(0), &[&|n| { n.fetch_add(1, Relaxed); }; 2], |n| n.load(Relaxed) == 2);
    ///     assert_eq!(verdict, rsan::Verdict::Proved);
    pub fn check<S: Sync>(setup: impl Fn() -> S, threads: &[&(dyn Fn(&S) + Sync)], check: impl Fn(&S) -> bool) -> Verdict {
        assert!(!threads.is_empty() && threads.len() <= MOST_THREADS, "rsan::check: 1 to {MOST_THREADS} threads");
        let mut test = Test { setup: &setup, threads, check: &check, state: core::ptr::null_mut() };
        let argument = &mut test as *mut Test<S> as *mut core::ffi::c_void;
        let list: [extern "C" fn(*mut core::ffi::c_void); MOST_THREADS] =
            [run::<S, 0>, run::<S, 1>, run::<S, 2>, run::<S, 3>, run::<S, 4>, run::<S, 5>, run::<S, 6>, run::<S, 7>];
        #[cfg(rsan)]
        let status = unsafe { __rsan_check(set_up::<S>, threads.len() as u32, list.as_ptr(), look::<S>, argument) };
        #[cfg(not(rsan))]
        let status = {
            set_up::<S>(argument);
            for one in &list[..threads.len()] {
                one(argument);
            }
            if look::<S>(argument) { 0 } else { 1 }
        };
        match status {
            0 => Verdict::Proved,
            1 => Verdict::Failed,
            2 => Verdict::Usage,
            66 => Verdict::Found,
            67 => Verdict::Harmless,
            _ => Verdict::NotProved,
        }
    }
}

/// Whatever comes before `happens_before(a)` happens before what follows `happens_after(a)` in any thread that calls it
/// later: synchronisation that RSan cannot see.
pub fn happens_before<T: ?Sized>(address: *const T) {
    #[cfg(rsan)]
    unsafe {
        __tsan_release(address as *const core::ffi::c_void as *mut core::ffi::c_void)
    };
    let _ = address;
}

/// See `happens_before`.
pub fn happens_after<T: ?Sized>(address: *const T) {
    #[cfg(rsan)]
    unsafe {
        __tsan_acquire(address as *const core::ffi::c_void as *mut core::ffi::c_void)
    };
    let _ = address;
}

/// A region: what its thread accesses until it is dropped is executed and not judged.
pub struct Benign(core::marker::PhantomData<*const ()>); // ends in the thread where it began

impl Benign {
    pub fn new() -> Self {
        #[cfg(rsan)]
        unsafe {
            __rsan_ignore_begin()
        };
        Benign(core::marker::PhantomData)
    }
}

impl Drop for Benign {
    fn drop(&mut self) {
        #[cfg(rsan)]
        unsafe {
            __rsan_ignore_end()
        };
    }
}

/// An atomic object that can be waited for.
pub trait Awaited {
    type Value: Copy + PartialEq;
    #[doc(hidden)]
    fn attempt(&self, differs: bool, value: Self::Value, order: Ordering) -> Self::Value;
    #[doc(hidden)]
    fn announce(&self, value: Self::Value);
}

#[cfg(rsan)]
extern "C" {
    fn __rsan_atomic8_wait_load(object: *const u8, order: i32, relation: i32, mask: u8, value: u8) -> u8;
    fn __rsan_atomic16_wait_load(object: *const u16, order: i32, relation: i32, mask: u16, value: u16) -> u16;
    fn __rsan_atomic32_wait_load(object: *const u32, order: i32, relation: i32, mask: u32, value: u32) -> u32;
    fn __rsan_atomic64_wait_load(object: *const u64, order: i32, relation: i32, mask: u64, value: u64) -> u64;
}

// Relations of waits (rsan.h): not equal; equal, with the value used for nothing else.
#[cfg(rsan)]
const NE: i32 = 1;
#[cfg(rsan)]
const EQ_ALONE: i32 = 16;

// As C numbers them.
#[cfg(rsan)]
fn order_number(order: Ordering) -> i32 {
    match order {
        Ordering::Relaxed => 0,
        Ordering::Acquire => 2,
        Ordering::SeqCst => 5,
        _ => panic!("a wait is a load: Relaxed, Acquire or SeqCst"),
    }
}

macro_rules! awaited {
    ($($atomic:ty, $value:ty, $bits:ty, $entry:ident;)*) => {$(
        impl Awaited for $atomic {
            type Value = $value;

            #[inline(always)]
            fn attempt(&self, differs: bool, value: $value, order: Ordering) -> $value {
                #[cfg(rsan)]
                return unsafe {
                    $entry(self.as_ptr() as *const $bits, order_number(order), if differs { NE } else { EQ_ALONE }, !0, value as $bits)
                } as $value;
                #[cfg(not(rsan))]
                {
                    let _ = (differs, value);
                    self.load(order)
                }
            }

            fn announce(&self, value: $value) {
                #[cfg(rsan)]
                unsafe {
                    __rsan_track(self.as_ptr() as *const core::ffi::c_void, core::mem::size_of::<$bits>() as u32, value as $bits as u64)
                };
                let _ = value;
            }
        }
    )*};
}

awaited! {
    AtomicU8, u8, u8, __rsan_atomic8_wait_load;
    AtomicI8, i8, u8, __rsan_atomic8_wait_load;
    AtomicU16, u16, u16, __rsan_atomic16_wait_load;
    AtomicI16, i16, u16, __rsan_atomic16_wait_load;
    AtomicU32, u32, u32, __rsan_atomic32_wait_load;
    AtomicI32, i32, u32, __rsan_atomic32_wait_load;
    AtomicU64, u64, u64, __rsan_atomic64_wait_load;
    AtomicI64, i64, u64, __rsan_atomic64_wait_load;
    AtomicUsize, usize, u64, __rsan_atomic64_wait_load;
    AtomicIsize, isize, u64, __rsan_atomic64_wait_load;
}

/// Blocks until the object has the value: a read of an older value only waits longer, and is no violation.
#[inline(always)]
pub fn wait<A: Awaited>(object: &A, value: A::Value, order: Ordering) {
    while object.attempt(false, value, order) != value {
        core::hint::spin_loop();
    }
}

/// Blocks while the object has the value. What it has then; an old one of several such values is a violation.
#[inline(always)]
pub fn wait_while<A: Awaited>(object: &A, value: A::Value, order: Ordering) -> A::Value {
    loop {
        let found = object.attempt(true, value, order);
        if found != value {
            return found;
        }
        core::hint::spin_loop();
    }
}

/// Announces that a `wait` for the value will come, so that the first one misses nothing (rsan_track of rsan.h).
pub fn track<A: Awaited>(object: &A, value: A::Value) {
    object.announce(value)
}
