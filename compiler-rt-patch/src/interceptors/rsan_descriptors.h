// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a descriptor's object that tsan_fd.cpp does not have: its room, and, if it is an
// epoll, the objects that it waits for.

#ifndef RSAN_DESCRIPTORS_H
#define RSAN_DESCRIPTORS_H

#include "port/rsan_tsan.h"

namespace __tsan {

// The limit that makes a writing thread wait: the bytes of a pipe, the messages of a socket, or the
// sum of an eventfd(2).
enum RsanRoomKind : u8 { kRsanNoRoom, kRsanBytes, kRsanMessages, kRsanCounter };

// A thread that waits at an epoll acquires from these objects as well as from the epoll's own.
// kRsanPollsRoom: the epoll waits for room.
enum { kRsanPollsSockets = 1, kRsanPollsWorld = 2, kRsanPollsRoom = 4 };

// Part of FdSync.
struct RsanFdSync {
  // Its address is an object of its own. Threads release there before they read, and so make room.
  u64 room;
  atomic_uint32_t sent;
  RsanRoomKind kind;
  atomic_uint8_t polls; // of an epoll: a set of the bits above
};

inline void RsanFdSyncInit(RsanFdSync *own, RsanRoomKind kind) {
  atomic_store_relaxed(&own->sent, 0);
  own->kind = kind;
  atomic_store_relaxed(&own->polls, 0);
}

} // namespace __tsan

#endif
