// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "places/rsan_record_place.h"

#include "places/rsan_modules.h"
#include "port/rsan_tsan.h"

namespace __tsan {

void RsanPutFrame(RsanJson *json, const AddressInfo &info) {
  json->Open('{');
  json->Hex("pc", info.address);
  if (info.module) {
    json->Text("module", info.module);
    json->Hex("offset", info.module_offset);
  }
  if (info.uuid_size) {
    InternalScopedString id;
    for (uptr i = 0; i < info.uuid_size; i++)
      id.AppendF("%02x", info.uuid[i]);
    json->Text("build_id", id.data());
  }
  if (info.function)
    json->Text("function", StackTracePrinter::GetOrInit()->StripFunctionName(info.function));
  if (info.file)
    json->Text("file", StripPathPrefix(info.file, common_flags()->strip_path_prefix));
  if (info.file && info.line > 0)
    json->Number("line", info.line);
  if (info.file && info.line > 0 && info.column > 0)
    json->Number("column", info.column);
  json->Close('}');
}

void RsanPutStack(RsanJson *json, const char *key, const ReportStack *stack) {
  if (!stack || !stack->frames)
    return;
  if (key)
    json->Key(key);
  json->Open('[');
  for (SymbolizedStack *frame = stack->frames; frame && frame->info.address; frame = frame->next)
    RsanPutFrame(json, frame->info);
  json->Close(']');
}

const char *RsanRecordOrder(rsan_order order) {
  static const char *const names[] = {"relaxed", "consume", "acquire",
                                      "release", "acq_rel", "seq_cst"};
  return names[order];
}

const char *RsanRecordKind(enum rsan_access_kind kind, enum rsan_check check) {
  switch (check) {
  case RSAN_CHECK_STRONG_CAS:
    return kind == RSAN_READ ? "failed compare-exchange" : "compare-exchange";
  case RSAN_CHECK_WAIT:
    return "wait";
  case RSAN_CHECK_BCAS:
    return "blocking read-modify-write";
  default:
    break;
  }
  return kind == RSAN_READ ? "read" : kind == RSAN_WRITE ? "write" : "read-modify-write";
}

bool RsanPutModule(RsanJson *json, uptr address) {
  const char *module;
  uptr offset;
  if (!RsanIsInModule(address) ||
      !Symbolizer::GetOrInit()->GetModuleNameAndOffsetForPC(address, &module, &offset))
    return false;
  json->Text("module", module);
  json->Hex("offset", offset);
  return true;
}

} // namespace __tsan
