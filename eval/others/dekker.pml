/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The entry of Dekker's lock, tried once by each of two processes, for Spin. Spin's memory is
 * sequentially consistent. With -DTSO the model brings store buffers of its own, as x86 has them.
 *
 *   -DWEAKENED   without the fence between the raising of a flag and the look at the other one
 *   -DTSO        writes go through a buffer that is emptied at any time
 */

byte flag[2];
byte inside;
chan buffer[2] = [2] of { byte };

inline write_flag(self) {
#ifdef TSO
  buffer[self] ! 1
#else
  flag[self] = 1
#endif
}

inline fence(self) {
#ifndef WEAKENED
  empty(buffer[self])
#else
  skip
#endif
}

proctype enter(byte self) {
  write_flag(self);
  fence(self);
  if
  :: flag[1 - self] == 0 ->
       inside++;
       assert(inside == 1);
       inside--
  :: else -> skip
  fi
}

proctype empties(byte self) {
  byte value;
end:
  do
  :: atomic { buffer[self] ? value -> flag[self] = value }
  od
}

init {
  atomic {
    run empties(0);
    run empties(1);
    run enter(0);
    run enter(1)
  }
}
