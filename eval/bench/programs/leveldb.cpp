// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// leveldb THREADS KEYS: each thread writes KEYS keys of its own in a random order, reads them in
// another one, and walks over all that is there.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/filter_policy.h"

static leveldb::DB *database;
static std::atomic<bool> right{true};

static std::string key_of(int thread, unsigned number) {
  char text[32];
  std::snprintf(text, sizeof text, "%02d-%010u", thread, number);
  return text;
}

// A permutation of the numbers below `count`, for an odd step and a power of two above it.
template <typename Visit> static void visit_all(unsigned count, unsigned step, Visit visit) {
  unsigned range = 1;
  while (range < count)
    range *= 2;
  for (unsigned i = 0; i < range; i++)
    if (unsigned number = (i * step + 12345) % range; number < count)
      visit(number);
}

static void run(int thread, unsigned keys) {
  visit_all(keys, 40503, [&](unsigned number) {
    std::string value(100, static_cast<char>('a' + number % 26));
    if (!database->Put({}, key_of(thread, number), value).ok())
      right = false;
  });
  visit_all(keys, 60013, [&](unsigned number) {
    std::string value;
    if (!database->Get({}, key_of(thread, number), &value).ok() || value.size() != 100 ||
        value[99] != static_cast<char>('a' + number % 26))
      right = false;
  });
  std::unique_ptr<leveldb::Iterator> all(database->NewIterator({}));
  unsigned seen = 0;
  for (all->SeekToFirst(); all->Valid(); all->Next())
    seen++;
  if (seen < keys)
    right = false;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: leveldb THREADS KEYS\n");
    return 2;
  }
  std::string folder = std::filesystem::temp_directory_path() / "leveldb-XXXXXX";
  if (!mkdtemp(folder.data()))
    return 1;
  std::unique_ptr<const leveldb::FilterPolicy> filter(leveldb::NewBloomFilterPolicy(10));
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 1 << 20;
  options.filter_policy = filter.get();
  if (!leveldb::DB::Open(options, folder, &database).ok())
    return 1;
  std::vector<std::thread> threads;
  for (int i = 0; i < std::atoi(argv[1]); i++)
    threads.emplace_back(run, i, static_cast<unsigned>(std::atoi(argv[2])));
  for (auto &thread : threads)
    thread.join();
  delete database;
  std::filesystem::remove_all(folder);
  return !right;
}
