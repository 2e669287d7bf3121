# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# awk -v tree=DIR -f place-hunks.awk PATCH: PATCH with the line numbers that its hunks have in DIR.
#
# A patch serves several releases of LLVM, in which the same code has other line numbers. A hunk is for the line that it
# names if its old text stands there; else for the only place after the hunk before it where its old text stands. If
# there is no such place, or more than one, this fails, and the release needs a variant of the patch.

function fail(text) {
  print FILENAME ": " text >"/dev/stderr"
  failed = 1
  exit 1
}

function read_file(name,    line, status) {
  split("", content)
  length_of_file = 0
  while ((status = (getline line <(tree "/" name))) > 0) content[++length_of_file] = line
  if (status < 0) fail("there is no " name)
  close(tree "/" name)
  free = 1
  growth = 0
}

function stands_at(first,    i) {
  if (first < free || first + old_count - 1 > length_of_file) return 0
  for (i = 1; i <= old_count; i++) if (content[first + i - 1] != old[i]) return 0
  return 1
}

function place(    i, found) {
  if (stands_at(stated)) return stated
  for (i = free; i + old_count - 1 <= length_of_file; i++) {
    if (!stands_at(i)) continue
    if (found) fail(file ": the hunk for line " stated " fits more than one place: lines " found ", " i)
    found = i
  }
  if (!found) fail(file ": the hunk for line " stated " fits nowhere")
  return found
}

function flush_hunk(    first) {
  if (!in_hunk) return
  in_hunk = 0
  # A hunk that only adds to a new file has no old text.
  first = old_count ? place() : stated
  print "@@ -" first "," old_count " +" (old_count ? first + growth : 1) "," new_count " @@"
  printf "%s", body
  free = first + old_count
  growth += new_count - old_count
}

/^--- / && !(in_hunk && missing > 0) {
  flush_hunk()
  file = $2
  if (file != "/dev/null") {
    sub(/^a\//, "", file)
    read_file(file)
  }
}
/^@@ / && !(in_hunk && missing > 0) {
  flush_hunk()
  in_hunk = 1
  stated = substr($2, 2) + 0
  missing = ($2 ~ /,/ ? substr($2, index($2, ",") + 1) : 1) + ($3 ~ /,/ ? substr($3, index($3, ",") + 1) : 1)
  old_count = new_count = 0
  body = ""
  next
}
in_hunk && missing > 0 {
  body = body $0 "\n"
  if (/^\\/) next
  if (/^[- ]/ || $0 == "") { old[++old_count] = substr($0, 2); missing-- }
  if (/^[+ ]/ || $0 == "") { new_count++; missing-- }
  next
}
in_hunk && /^\\/ { body = body $0 "\n"; next }
{ flush_hunk(); print }
END { if (!failed) flush_hunk() }
