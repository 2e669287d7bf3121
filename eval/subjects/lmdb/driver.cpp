// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LMDB: two writers, each of whose transactions gives all keys the same new value; readers, whose
// snapshots must have the same value everywhere, and no older one than the snapshot before. The
// environment is in a folder of its own, and gone afterwards.

#include <lmdb.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "stress.hpp"

namespace {

enum { WRITERS = 2, READERS = 3, EACH = 300, KEYS = 16 };

bool put_all(MDB_env *env, MDB_dbi dbi) {
  MDB_txn *txn;
  if (mdb_txn_begin(env, nullptr, 0, &txn) != 0)
    return false;
  unsigned zero = 0;
  MDB_val key = {sizeof zero, &zero}, old;
  unsigned value =
      mdb_get(txn, dbi, &key, &old) == 0 ? *static_cast<unsigned *>(old.mv_data) + 1 : 1;
  for (unsigned k = 0; k < KEYS; k++) {
    MDB_val name = {sizeof k, &k}, data = {sizeof value, &value};
    if (mdb_put(txn, dbi, &name, &data, 0) != 0) {
      mdb_txn_abort(txn);
      return false;
    }
  }
  return mdb_txn_commit(txn) == 0;
}

bool get_all(MDB_env *env, MDB_dbi dbi, unsigned &last) {
  MDB_txn *txn;
  if (mdb_txn_begin(env, nullptr, MDB_RDONLY, &txn) != 0)
    return false;
  unsigned first = 0;
  bool right = true;
  for (unsigned k = 0; k < KEYS; k++) {
    MDB_val name = {sizeof k, &k}, data;
    unsigned value =
        mdb_get(txn, dbi, &name, &data) == 0 ? *static_cast<unsigned *>(data.mv_data) : 0;
    if (k == 0)
      first = value;
    right = right && value == first;
  }
  mdb_txn_abort(txn);
  right = right && first >= last;
  last = first;
  return right;
}

bool run(const char *folder) {
  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi dbi;
  if (mdb_env_create(&env) != 0 || mdb_env_set_mapsize(env, 1 << 22) != 0 ||
      mdb_env_open(env, folder, MDB_NOSYNC, 0600) != 0 ||
      mdb_txn_begin(env, nullptr, 0, &txn) != 0 || mdb_dbi_open(txn, nullptr, 0, &dbi) != 0 ||
      mdb_txn_commit(txn) != 0)
    return false;
  stress::gate start(WRITERS + READERS);
  bool right[WRITERS + READERS];
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < WRITERS + READERS; t++)
    threads.emplace_back([&, t] {
      unsigned last = 0;
      right[t] = true;
      start.pass();
      for (unsigned i = 0; i < EACH; i++)
        right[t] = (t < WRITERS ? put_all(env, dbi) : get_all(env, dbi, last)) && right[t];
    });
  for (std::thread &thread : threads)
    thread.join();
  unsigned last = 0;
  bool all = get_all(env, dbi, last) && last == WRITERS * EACH;
  for (bool one : right)
    all = all && one;
  mdb_env_close(env);
  return all;
}

} // namespace

int main() {
  const char *parent = getenv("TMPDIR");
  std::string folder = std::string(parent ? parent : "/tmp") + "/rsan-lmdb-XXXXXX";
  if (!mkdtemp(folder.data()))
    return 2;
  const bool right = run(folder.c_str());
  unlink((folder + "/data.mdb").c_str());
  unlink((folder + "/lock.mdb").c_str());
  rmdir(folder.c_str());
  return stress::verdict(right);
}
