// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sync NAME [relaxed]
//
// What Rust's standard library synchronises with, each in a program in ordinary use, and its twin, in which relaxed
// atomics stand in its place. What is handed over is accessed atomically and relaxed, so that the twin has no data race.
// Exit status: 0, 1 if the result is wrong (which the twins' may be), 2 for wrong use, 66 after a report.

mod algorithms;
mod rsan; // compiler/rust/rsan.rs, which eval/rust/run puts here
mod waits;

use std::cell::Cell;
use std::sync::atomic::{AtomicI32, Ordering::*};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Condvar, Mutex, Once, OnceLock, RwLock};
use std::thread;

const ROUNDS: i32 = 20;
static DATA: AtomicI32 = AtomicI32::new(0);
static SECOND: AtomicI32 = AtomicI32::new(0);
static FLAG: AtomicI32 = AtomicI32::new(0);

fn fill(value: i32) {
    DATA.store(value, Relaxed);
    SECOND.store(value, Relaxed);
}

fn is_full(value: i32) -> bool {
    SECOND.load(Relaxed) == value && DATA.load(Relaxed) == value
}

// The twin's hand-over: nothing is ordered.
fn relaxed_lock() {
    while FLAG.compare_exchange(0, 1, Relaxed, Relaxed).is_err() {
        thread::yield_now();
    }
}

fn relaxed_unlock() {
    FLAG.store(0, Relaxed);
}

fn relaxed_signal(value: i32) {
    FLAG.store(value, Relaxed);
}

fn relaxed_await(value: i32) {
    rsan::wait(&FLAG, value, Relaxed);
}

fn count() -> bool {
    DATA.store(DATA.load(Relaxed) + 1, Relaxed);
    true
}

fn mutex(relaxed: bool) -> bool {
    let lock = Arc::new(Mutex::new(0));
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let lock = lock.clone();
            thread::spawn(move || {
                for _ in 0..ROUNDS {
                    if relaxed {
                        relaxed_lock();
                        count();
                        relaxed_unlock();
                    } else {
                        let mut inside = lock.lock().unwrap();
                        *inside += 1;
                        count();
                    }
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|one| one.join().unwrap());
    DATA.load(Relaxed) == 3 * ROUNDS
}

fn rwlock(relaxed: bool) -> bool {
    let lock = RwLock::new(0);
    let right = AtomicI32::new(1);
    thread::scope(|scope| {
        scope.spawn(|| {
            for i in 1..=ROUNDS {
                if relaxed {
                    relaxed_lock();
                    fill(i);
                    relaxed_unlock();
                } else {
                    *lock.write().unwrap() = i;
                    let _inside = lock.write().unwrap();
                    fill(i);
                }
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let inside = if relaxed { None } else { Some(lock.read().unwrap()) };
                    if relaxed {
                        relaxed_lock();
                    }
                    if SECOND.load(Relaxed) != DATA.load(Relaxed) {
                        right.store(0, Relaxed);
                    }
                    drop(inside);
                    if relaxed {
                        relaxed_unlock();
                    }
                }
            });
        }
    });
    right.load(Relaxed) == 1
}

fn condvar(relaxed: bool) -> bool {
    let pair = (Mutex::new(0), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            fill(1);
            if relaxed {
                relaxed_signal(1);
            } else {
                *pair.0.lock().unwrap() = 1;
                pair.1.notify_all();
            }
        });
        let waiter = scope.spawn(|| {
            if relaxed {
                relaxed_await(1);
            } else {
                let mut state = pair.0.lock().unwrap();
                while *state == 0 {
                    state = pair.1.wait(state).unwrap();
                }
            }
            is_full(1)
        });
        waiter.join().unwrap()
    })
}

fn barrier(relaxed: bool) -> bool {
    let all = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            fill(1);
            if relaxed {
                relaxed_signal(1);
            } else {
                all.wait();
            }
        });
        if relaxed {
            relaxed_await(1);
        } else {
            all.wait();
        }
        is_full(1)
    })
}

fn mpsc(relaxed: bool) -> bool {
    let (sender, receiver) = channel();
    let other = sender.clone();
    let first = thread::spawn(move || {
        for i in 1..=ROUNDS {
            fill(i);
            if relaxed {
                relaxed_signal(i);
                waits::until_taken(i);
            } else {
                sender.send(i).unwrap();
                waits::until_taken_by_lock(i);
            }
        }
    });
    let second = thread::spawn(move || other.send(-1).unwrap());
    let mut right = true;
    let mut last = 0;
    while last < ROUNDS {
        let received = if relaxed {
            relaxed_await(last + 1);
            last + 1
        } else {
            receiver.recv().unwrap()
        };
        if received > 0 {
            last = received;
            right &= is_full(received);
            if relaxed {
                waits::taken(received);
            } else {
                waits::taken_by_lock(received);
            }
        }
    }
    first.join().unwrap();
    second.join().unwrap();
    right
}

// Three threads, one of which fills while the others wait for it: by `call`, or by relaxed accesses.
fn filled_by_one(relaxed: bool, call: fn()) -> bool {
    let enter = move || {
        if !relaxed {
            call();
        } else if FLAG.compare_exchange(0, 1, Relaxed, Relaxed).is_ok() {
            fill(1);
            relaxed_signal(2);
        } else {
            relaxed_await(2);
        }
        is_full(1)
    };
    let threads: Vec<_> = (0..3).map(|_| thread::spawn(enter)).collect();
    threads.into_iter().all(|one| one.join().unwrap())
}

fn once(relaxed: bool) -> bool {
    static ONCE: Once = Once::new();
    filled_by_one(relaxed, || ONCE.call_once(|| fill(1)))
}

fn oncelock(relaxed: bool) -> bool {
    static CELL: OnceLock<i32> = OnceLock::new();
    filled_by_one(relaxed, || {
        CELL.get_or_init(|| {
            fill(1);
            1
        });
    })
}

fn scope(relaxed: bool) -> bool {
    let mut plain = 0;
    let right = thread::scope(|scope| {
        scope.spawn(|| {
            fill(1);
            plain = 1;
            relaxed_signal(1);
        });
        if relaxed {
            relaxed_await(1); // in place of the end of the scope
            return is_full(1);
        }
        true
    });
    right && is_full(1) && plain == 1
}

fn park(relaxed: bool) -> bool {
    let waiter = thread::spawn(move || {
        if relaxed {
            relaxed_await(1);
        } else {
            while FLAG.load(Acquire) == 0 {
                thread::park();
            }
        }
        is_full(1)
    });
    fill(1);
    if relaxed {
        relaxed_signal(1);
    } else {
        FLAG.store(1, Release);
        waiter.thread().unpark();
    }
    waiter.join().unwrap()
}

struct Counted;

impl Drop for Counted {
    fn drop(&mut self) {
        assert!(DATA.load(Relaxed) == 2 && SECOND.load(Relaxed) == 2);
    }
}

// The thread that drops the last reference sees all that the others did before they dropped theirs.
fn arc(relaxed: bool) -> bool {
    let shared = Arc::new(Counted);
    FLAG.store(2, Relaxed);
    let threads: Vec<_> = [&DATA, &SECOND]
        .into_iter()
        .map(|own| {
            let shared = shared.clone();
            thread::spawn(move || {
                own.store(2, Relaxed);
                if !relaxed {
                    drop(shared);
                } else {
                    if FLAG.fetch_sub(1, Relaxed) == 1 {
                        drop(Counted);
                    }
                    std::mem::forget(shared);
                }
            })
        })
        .collect();
    drop(shared);
    threads.into_iter().for_each(|one| one.join().unwrap());
    true
}

// Each thread's own, and destroyed at its end, which comes before whoever joins it.
fn locals(relaxed: bool) -> bool {
    struct Own(Cell<i32>);
    impl Drop for Own {
        fn drop(&mut self) {
            fill(self.0.get());
            relaxed_signal(1);
        }
    }
    thread_local!(static OWN: Own = const { Own(Cell::new(0)) });
    let one = thread::spawn(|| OWN.with(|own| own.0.set(1)));
    if relaxed {
        relaxed_await(1);
        let right = is_full(1);
        one.join().unwrap();
        return right;
    }
    one.join().unwrap();
    is_full(1)
}

const PROGRAMS: [(&str, fn(bool) -> bool); 13] = [
    ("mutex", mutex),
    ("rwlock", rwlock),
    ("condvar", condvar),
    ("barrier", barrier),
    ("mpsc", mpsc),
    ("once", once),
    ("oncelock", oncelock),
    ("scope", scope),
    ("park", park),
    ("arc", arc),
    ("locals", locals),
    ("chase_lev", algorithms::chase_lev),
    ("seqlock", algorithms::seqlock),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map(String::as_str);
    if name == Some("--list") {
        return PROGRAMS.iter().for_each(|one| println!("{}", one.0));
    }
    match PROGRAMS.iter().find(|one| Some(one.0) == name) {
        Some(program) => {
            if !program.1(arguments.get(1).map(String::as_str) == Some("relaxed")) {
                eprintln!("sync: the result is wrong");
                std::process::exit(1);
            }
        }
        None => {
            eprintln!("usage: sync NAME [relaxed]; sync --list");
            std::process::exit(2);
        }
    }
}
