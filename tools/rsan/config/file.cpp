// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See file.h. In C++, as that is the language of toml++.

#include "config/file.h"

#include <algorithm>
#include <string>
#include <vector>

#include <stdlib.h>
#include <string.h>

#define TOML_EXCEPTIONS        0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace {

void *Need(void *memory) {
  if (!memory)
    abort();
  return memory;
}

char *Copy(const std::string &text) {
  return static_cast<char *>(Need(strdup(text.c_str())));
}

std::string AtLine(const toml::source_region &where, const std::string &text) {
  return std::to_string(where.begin.line) + ": " + text;
}

// A message about a fault; "": there is no fault.
using Error = std::string;

Error TakeScalar(const toml::node &node, config_kind *kind, std::string *value) {
  if (const auto *text = node.as_string()) {
    *kind = CONFIG_TEXT;
    *value = text->get();
  } else if (const auto *number = node.as_integer()) {
    *kind = CONFIG_NUMBER;
    *value = std::to_string(number->get());
  } else if (const auto *boolean = node.as_boolean()) {
    *kind = CONFIG_BOOLEAN;
    *value = boolean->get() ? "1" : "0";
  } else {
    return AtLine(node.source(), "it must be a text in quotes, a whole number, true or false");
  }
  if (value->find('\0') != std::string::npos)
    return AtLine(node.source(), "a text must not have a NUL");
  return "";
}

Error TakeList(const toml::array &list, std::vector<std::string> *values) {
  for (const toml::node &one : list) {
    config_kind kind;
    std::string value;
    const Error error = TakeScalar(one, &kind, &value);
    if (!error.empty())
      return error;
    if (kind == CONFIG_BOOLEAN)
      return AtLine(one.source(), "a list must not have true or false");
    values->push_back(value);
  }
  return "";
}

class Reader {
public:
  Error TakeTable(const std::string &name, const toml::table &table) {
    for (const auto &[key, node] : table) {
      Error error;
      if (!node.is_table()) {
        error = Take(name, std::string(key.str()), node);
      } else if (name.empty()) {
        Add(std::string(key.str()), "", node, CONFIG_TABLE, {});
        error = TakeTable(std::string(key.str()), *node.as_table());
      } else {
        error = AtLine(node.source(), "a table in a table is not known");
      }
      if (!error.empty())
        return error;
    }
    return "";
  }

  void Give(config *into) {
    std::sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) {
      return a.line != b.line ? a.line < b.line : strcmp(a.key, b.key) < 0;
    });
    into->count = entries.size();
    into->entries =
        static_cast<config_entry *>(Need(calloc(entries.size() + 1, sizeof *into->entries)));
    std::copy(entries.begin(), entries.end(), into->entries);
  }

private:
  std::vector<config_entry> entries;

  void Add(const std::string &table, const std::string &key, const toml::node &node,
           config_kind kind, const std::vector<std::string> &values) {
    config_entry entry = {Copy(table), Copy(key), kind, nullptr, node.source().begin.line};
    entry.values = static_cast<char **>(Need(calloc(values.size() + 1, sizeof *entry.values)));
    for (size_t i = 0; i < values.size(); i++)
      entry.values[i] = Copy(values[i]);
    entries.push_back(entry);
  }

  Error Take(const std::string &table, const std::string &key, const toml::node &node) {
    config_kind kind = CONFIG_LIST;
    std::vector<std::string> values;
    Error error;
    if (const auto *list = node.as_array()) {
      error = TakeList(*list, &values);
    } else {
      std::string value;
      error = TakeScalar(node, &kind, &value);
      values.push_back(value);
    }
    if (error.empty())
      Add(table, key, node, kind, values);
    return error;
  }
};

} // namespace

char *config_read(const char *path, config *into) {
  Reader reader;
  *into = {};
  const toml::parse_result result = toml::parse_file(path);
  if (!result) {
    const toml::parse_error &error = result.error();
    const std::string text(error.description());
    return Copy(error.source().begin.line ? AtLine(error.source(), text) : text);
  }
  const Error error = reader.TakeTable("", result.table());
  reader.Give(into);
  return error.empty() ? nullptr : Copy(error);
}

void config_free(config *config) {
  for (size_t i = 0; i < config->count; i++) {
    config_entry *entry = &config->entries[i];
    for (char **value = entry->values; *value; value++)
      free(*value);
    free(entry->values);
    free(entry->table);
    free(entry->key);
  }
  free(config->entries);
  *config = {};
}
