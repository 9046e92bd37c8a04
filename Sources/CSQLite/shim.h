#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

// What Swift cannot call: SQLite's variadic configuration and the destructor constants, which are casts.

static inline int tenure_sqlite_set_flag(sqlite3 *database, int option, int value) {
  int now = 0;
  int code = sqlite3_db_config(database, option, value, &now);
  return code == SQLITE_OK && now != value ? SQLITE_ERROR : code;
}

static inline int tenure_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
  return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

static inline int tenure_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
  return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

#endif
