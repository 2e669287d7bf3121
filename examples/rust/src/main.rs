// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

static FLAGS: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

fn try_lock(own: usize) -> bool {
    FLAGS[own].store(true, Ordering::Release);
    !FLAGS[1 - own].load(Ordering::Acquire)
}

fn main() {
    let inside: Vec<bool> = thread::scope(|scope| {
        let threads = [0, 1].map(|own| scope.spawn(move || try_lock(own)));
        threads.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(!(inside[0] && inside[1]));
}
