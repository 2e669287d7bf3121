// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two algorithms of eval/synthetic in Rust, of two threads, with the same orders. `relaxed` is what is weakened there.

use std::sync::atomic::{fence, AtomicI32, Ordering::*};
use std::sync::Barrier;
use std::thread;

const ROUNDS: usize = 50;

// Chase and Lev's deque: one thread pushes and takes, the other steals. Weakened: without its fences.
pub fn chase_lev(weakened: bool) -> bool {
    static TOP: AtomicI32 = AtomicI32::new(0);
    static BOTTOM: AtomicI32 = AtomicI32::new(0);
    static ITEM: [AtomicI32; 2 * ROUNDS] = [const { AtomicI32::new(0) }; 2 * ROUNDS];
    let fenced = move || {
        if !weakened {
            fence(SeqCst);
        }
    };
    let move_top = move |from: i32| {
        fenced();
        TOP.compare_exchange(from, from + 1, AcqRel, Acquire).is_ok()
    };
    let push = |value: i32| {
        let b = BOTTOM.load(Relaxed);
        ITEM[b as usize].store(value, Relaxed);
        BOTTOM.store(b + 1, Release);
    };
    let take = move || {
        let b = BOTTOM.load(Relaxed) - 1;
        BOTTOM.store(b, Release);
        fenced();
        let t = TOP.load(Acquire);
        let mut value = if t <= b { ITEM[b as usize].load(Relaxed) } else { 0 };
        if t < b {
            return value;
        }
        if t == b && !move_top(t) {
            value = 0;
        }
        BOTTOM.store(b + 1, Release);
        value
    };
    let steal = move || {
        fenced();
        let t = TOP.load(Acquire);
        fenced();
        if t >= BOTTOM.load(Acquire) {
            return 0;
        }
        let value = ITEM[t as usize].load(Relaxed);
        if move_top(t) {
            value
        } else {
            0
        }
    };
    let all_are_here = Barrier::new(2);
    let sum: i32 = thread::scope(|scope| {
        let owner = scope.spawn(|| {
            let mut sum = 0;
            all_are_here.wait();
            for i in 0..ROUNDS as i32 {
                push(2 * i + 1);
                push(2 * i + 2);
                sum += take();
                thread::yield_now();
            }
            loop {
                match take() {
                    0 => return sum,
                    value => sum += value,
                }
            }
        });
        let thief = scope.spawn(|| {
            all_are_here.wait();
            (0..ROUNDS).map(|_| steal()).sum::<i32>()
        });
        owner.join().unwrap() + thief.join().unwrap()
    });
    let count = 2 * ROUNDS as i32;
    sum == count * (count + 1) / 2
}

// A sequence lock. Weakened: what it protects is relaxed.
pub fn seqlock(weakened: bool) -> bool {
    static SEQUENCE: AtomicI32 = AtomicI32::new(0);
    static LEFT: AtomicI32 = AtomicI32::new(0);
    static RIGHT: AtomicI32 = AtomicI32::new(0);
    let store = move |data: &AtomicI32, value| data.store(value, if weakened { Relaxed } else { Release });
    let load = move |data: &AtomicI32| data.load(if weakened { Relaxed } else { Acquire });
    let is_whole = move || loop {
        let before = SEQUENCE.load(Acquire);
        if before % 2 == 0 {
            let (left, right) = (load(&LEFT), load(&RIGHT));
            if SEQUENCE.load(Relaxed) == before {
                return left == right;
            }
        }
        thread::yield_now();
    };
    let all_are_here = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            all_are_here.wait();
            for i in 1..=20 * ROUNDS as i32 {
                let now = SEQUENCE.load(Relaxed);
                SEQUENCE.store(now + 1, Relaxed);
                store(&LEFT, i);
                store(&RIGHT, i);
                SEQUENCE.store(now + 2, Release);
            }
        });
        let reader = scope.spawn(|| {
            all_are_here.wait();
            (0..20 * ROUNDS).all(|_| is_whole())
        });
        reader.join().unwrap()
    })
}
