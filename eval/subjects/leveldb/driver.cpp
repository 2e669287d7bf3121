// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LevelDB: threads that write, read, scan and delete keys of one database, small enough a buffer
// that it is written out and compacted meanwhile. A value names its key; at the end each thread's
// own keys are there as it left them.

#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include "stress.hpp"

#include <cstdlib>
#include <string>

#include <unistd.h>

constexpr unsigned THREADS = 4, EACH = 400, KEYS = 40;

static std::string key_of(unsigned thread, unsigned i) {
  return "key." + std::to_string(thread) + "." + std::to_string(i % KEYS);
}

static bool names_its_key(const std::string &value, const std::string &key) {
  return value.compare(0, key.size(), key) == 0;
}

static bool use(leveldb::DB *db, unsigned self) {
  bool right = true;
  std::string value;
  for (unsigned i = 0; i < EACH; i++) {
    const std::string mine = key_of(self, i), other = key_of((self + 1) % THREADS, i);
    right = right && db->Put({}, mine, mine + std::string(200, 'x')).ok();
    if (db->Get({}, other, &value).ok())
      right = right && names_its_key(value, other);
    if (i % 7 == 0)
      right = right && db->Delete({}, mine).ok();
    if (i % 50 == 0) {
      std::unique_ptr<leveldb::Iterator> at(db->NewIterator({}));
      for (at->SeekToFirst(); at->Valid(); at->Next())
        right = right && names_its_key(at->value().ToString(), at->key().ToString());
    }
  }
  for (unsigned i = EACH - KEYS; i < EACH; i++)
    right = right && db->Get({}, key_of(self, i), &value).IsNotFound() == (i % 7 == 0);
  return right;
}

int main() {
  char folder[] = "/tmp/rsan-leveldb-XXXXXX";
  if (!mkdtemp(folder))
    return 2;
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  leveldb::DB *opened = nullptr;
  if (!leveldb::DB::Open(options, folder, &opened).ok())
    return 2;
  std::unique_ptr<leveldb::DB> db(opened);
  std::unique_ptr<bool[]> right(new bool[THREADS]());
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < THREADS; t++)
    threads.emplace_back([&, t] { right[t] = use(db.get(), t); });
  for (std::thread &thread : threads)
    thread.join();
  db.reset();
  leveldb::DestroyDB(folder, options);
  bool all = true;
  for (unsigned t = 0; t < THREADS; t++)
    all = all && right[t];
  return stress::verdict(all);
}
