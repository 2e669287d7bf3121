// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That a message has been taken, before the next one is made: by a lock, and relaxed.

use crate::rsan;
use std::sync::atomic::{AtomicI32, Ordering::*};
use std::sync::{Condvar, Mutex};

static TAKEN: AtomicI32 = AtomicI32::new(0);
static LOCKED: Mutex<i32> = Mutex::new(0);
static CHANGED: Condvar = Condvar::new();

pub fn taken(number: i32) {
    TAKEN.store(number, Relaxed);
}

pub fn until_taken(number: i32) {
    rsan::wait(&TAKEN, number, Relaxed);
}

pub fn taken_by_lock(number: i32) {
    *LOCKED.lock().unwrap() = number;
    CHANGED.notify_one();
}

pub fn until_taken_by_lock(number: i32) {
    let mut last = LOCKED.lock().unwrap();
    while *last != number {
        last = CHANGED.wait(last).unwrap();
    }
}
