#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Litmus programs in Rust: made of those in C, run in every interleaving, with the numbers that stand at C's heads.

    litmus.py BUILD WORK [NAME...]

Each C program of BUILD/tests/litmus/programs whose threads are written in nothing but atomic accesses, fences, variables
and conditions is translated, statement by statement, compiled by rustc (core alone, which needs no instrumented library),
and linked with the C programs' harness. A program that has more (mutexes, threads of its own) is left out, and said so."""
import pathlib
import re
import subprocess
import sys

ORDERS = {"relaxed": "Relaxed", "acquire": "Acquire", "release": "Release", "acq_rel": "AcqRel", "seq_cst": "SeqCst"}
OBJECT = r"(&s->\w+|\b(?:mine|other))"
ORDER = r"memory_order_(\w+)"


class Untranslatable(Exception):
    pass


def place(text):
    """An atomic object: a field, or a pointer to one."""
    return f"(*s).{text.removeprefix('&s->')}" if text.startswith("&") else f"(*{text})"


def order(name):
    return ORDERS[name]


def expression(text):
    """C's to Rust's: loads, read-modify-writes, fields that are plain."""
    text = re.sub(rf"atomic_load_explicit\({OBJECT}, {ORDER}\)", lambda m: f"{place(m[1])}.load({order(m[2])})", text)
    text = re.sub(rf"atomic_exchange_explicit\({OBJECT}, ([^,]+), {ORDER}\)", lambda m: f"{place(m[1])}.swap({m[2]}, {order(m[3])})", text)
    for c, rust in (("add", "add"), ("sub", "sub"), ("or", "or"), ("and", "and")):
        text = re.sub(rf"atomic_fetch_{c}_explicit\({OBJECT}, ([^,]+), {ORDER}\)",
                      lambda m, name=rust: f"{place(m[1])}.fetch_{name}({m[2]}, {order(m[3])})", text)  # fmt: skip
    text = re.sub(r"s->(\w+)\[(\d+)\]", r"(*s).\1[\2]", text)
    text = re.sub(r"s->(\w+)", r"(*s).\1", text)
    if re.search(r"atomic_|->|pthread|\*(?!(?:s|mine|other)\))", text):
        raise Untranslatable(text)
    return text


def statement(line):
    line = re.sub(r"\bself\b(?! == 0 \?)", "own", line.strip())
    if line in ("step();", "}", "return;"):
        return line
    if found := re.fullmatch(rf"atomic_store_explicit\({OBJECT}, (.+), {ORDER}\);", line):
        return f"{place(found[1])}.store({expression(found[2])}, {ORDERS[found[3]]});"
    if found := re.fullmatch(rf"atomic_compare_exchange_(strong|weak)_explicit\({OBJECT}, &(\w+), (\w+), {ORDER}, {ORDER}\);", line):
        weak = "_weak" if found[1] == "weak" else ""
        call = f"{place(found[2])}.compare_exchange{weak}({found[3]}, {found[4]}, {order(found[5])}, {order(found[6])})"
        return f"if let Err(old) = {call} {{ {found[3]} = old; }}"
    if found := re.fullmatch(r"atomic_int \*(mine|other) = self == 0 \? &s->(\w+) : &s->(\w+);", line):
        return f"let {found[1]} = if own == 0 {{ &(*s).{found[2]} }} else {{ &(*s).{found[3]} }};"
    if found := re.fullmatch(r"s->(\w+)\+\+;", line):
        return f"(*s).{found[1]} += 1;"
    if found := re.fullmatch(r"both\(shared, (\d)\);", line):
        return f"both(s, {found[1]});"
    if found := re.fullmatch(rf"atomic_thread_fence\({ORDER}\);", line):
        return f"fence({ORDERS[found[1]]});"
    if found := re.fullmatch(r"(?:const )?int (\w+) = (.+);", line):
        return f"let mut {found[1]}: i32 = {expression(found[2])};"
    if found := re.fullmatch(r"(s->\w+(?:\[\d+\])?|\w+) = (.+);", line):
        return f"{expression(found[1])} = {expression(found[2])};"
    if found := re.fullmatch(r"\(void\)(.+);", line) or re.fullmatch(r"(atomic_(?:fetch|exchange).+);", line):
        return f"let _ = {expression(found[1])};"
    if found := re.fullmatch(r"if \((.+)\) ?(\{|return;)", line):
        condition = expression(found[1])
        condition = condition if re.search(r"[=!<>]=?", condition) else f"{condition} != 0"
        return f"if {condition} {{" + (" return; }" if found[2] == "return;" else "")
    raise Untranslatable(line)


def block(body):
    lines = [line for line in body.splitlines() if line.strip() and "struct shared *s = shared" not in line]
    return "\n".join("    " + statement(line) for line in lines)


def translate(text):
    fields = re.search(r"struct shared \{(.*?)\n\};", text, re.S)
    table = re.search(r"const struct litmus litmus_program = \{(.*?)\n\};", text, re.S)
    if not fields or not table or re.search(r"\.(init|fini|children) ", table[1]):
        raise Untranslatable("more than threads on atomics")
    members = []
    for line in filter(None, map(str.strip, fields[1].splitlines())):
        line = line.split("//")[0].strip()
        if found := re.fullmatch(r"atomic_int (.+);", line):
            members += [f"{one.strip()}: AtomicI32," for one in found[1].split(",")]
        elif found := re.fullmatch(r"int (\w+)\[(\d+)\];", line):
            members.append(f"{found[1]}: [i32; {found[2]}],")
        elif found := re.fullmatch(r"int (.+);", line):
            members += [f"{one.strip()}: i32," for one in found[1].split(",")]
        elif line:
            raise Untranslatable(line)
    both = re.search(r"static void both\(struct shared \*s, int self\) \{\n(.*?)\n\}\n", text, re.S)
    threads = re.findall(r"static void (thread_\d+)\(void \*shared\) \{\n(.*?)\n\}\n", text, re.S)
    bodies = ["unsafe fn both(s: *mut Shared, own: i32) {\n" + block(both[1]) + "\n}"] if both else []
    for function, body in threads:
        bodies.append(f'unsafe extern "C" fn {function}(shared: *mut c_void) {{\n    let s = shared as *mut Shared;\n{block(body)}\n}}')
    flagged = re.search(r'\.flagged =\s*((?:\s*"[^"]*")+)', table[1])
    flagged = "".join(re.findall(r'"([^"]*)"', flagged[1])) if flagged else None
    pointer = f'b"{flagged}\\0".as_ptr()' if flagged is not None else "core::ptr::null()"
    entries = ", ".join([f"Some({one})" for one, _ in threads] + ["None"] * (4 - len(threads)))
    return f"""#![no_std]
#![allow(unused_mut, unused_variables, unused_assignments, dead_code, unused_unsafe, static_mut_refs)]
use core::ffi::{{c_int, c_void}};
use core::sync::atomic::{{fence, AtomicI32, Ordering::*}};
extern "C" {{
    fn step();
    fn abort() -> !;
}}
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {{
    unsafe {{ abort() }}
}}
#[repr(C)]
struct Shared {{
    {' '.join(members)}
}}
{chr(10).join(bodies)}
type Entry = Option<unsafe extern "C" fn(*mut c_void)>;
#[repr(C)]
pub struct Litmus {{
    size: usize, threads: c_int, children: c_int, thread: [Entry; 4], init: Entry, fini: Entry, weak: *const u8, flagged: *const u8,
}}
unsafe impl Sync for Litmus {{}}
#[no_mangle]
pub static litmus_program: Litmus = Litmus {{
    size: core::mem::size_of::<Shared>(), threads: {len(threads)}, children: 0, thread: [{entries}],
    init: None, fini: None, weak: core::ptr::null(), flagged: {pointer},
}};
"""


def check(build, work, rustc, name, text):
    """What is wrong, or None."""
    verdict = re.search(r"^// Verdict: (.+) \((\d+/\d+)\)", text, re.M)
    if not verdict:
        raise Untranslatable("any run")
    source, library, program = (work / f"{name}{end}" for end in (".rs", ".a", ""))
    source.write_text(translate(text), encoding="utf-8")
    flags = ["-Zsanitizer=thread", "-Zexternal-clangrt", "-Cunsafe-allow-abi-mismatch=sanitizer", "-Cpanic=abort", "-Copt-level=1", "-g"]
    made = subprocess.run([rustc, "--edition=2021", "--crate-type=staticlib", "--crate-name=program", *flags, source, "-o", library],
                          capture_output=True, text=True, env={"RUSTC_BOOTSTRAP": "1", "PATH": "/usr/bin:/bin"})  # fmt: skip
    if made.returncode:
        return f"is not compiled: {made.stderr[:1500]}"
    harness = [build / "tests/litmus" / f"{part}.o" for part in ("scheduler", "runner")]
    subprocess.run([build / "bin/rsan-clang", "-fsanitize=robustness", "-Wl,-u,litmus_program", *harness, library, "-o", program], check=True)
    for engine in ("compact", "explicit"):
        run = subprocess.run([program, "--races" if verdict[1] == "race" else "--violations", verdict[2]], capture_output=True, text=True,
                             env={"RSAN_OPTIONS": f"clocks={engine}"})  # fmt: skip
        if run.returncode:
            return f"clocks={engine}: not {verdict[2]}: {run.stdout[-300:]}{run.stderr[-300:]}"
    return None


def main():
    build, work = (pathlib.Path(one).resolve() for one in sys.argv[1:3])
    work.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[3:]
    right, wrong, left_out = 0, 0, []
    for path in sorted((build / "tests/litmus/programs").glob("*.c")):
        if wanted and path.stem not in wanted:
            continue
        try:
            fault = check(build, work, "rustc" if not pathlib.Path("/usr/bin/rustc").exists() else "/usr/bin/rustc", path.stem, path.read_text(encoding="utf-8"))
        except Untranslatable:
            left_out.append(path.stem)
            continue
        right, wrong = right + (not fault), wrong + bool(fault)
        if fault:
            print(f"{path.stem}: {fault}")
    print(f"{right} litmus programs in Rust have C's numbers, {wrong} have not; left out: {' '.join(left_out)}")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
