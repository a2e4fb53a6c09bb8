#include "read/formats.h"

namespace txscope {
namespace {

Match looks_like_etcd_log(const Sample&) { return Match::No; }

Result<History> read_etcd_log(Opened& opened) {
  return Error{Place{opened.path, 0, 0, {}}, "etcd-log is not supported yet",
               "", ""};
}

std::unique_ptr<HistorySource> open_etcd_log(Opened opened) {
  return one_history(Format::EtcdLog, std::move(opened), read_etcd_log);
}

}  // namespace

const FormatEntry kEtcdLogFormat{
    Format::EtcdLog, "etcd-log", "Jepsen's etcd register logs",
    {"etcd"},        {".log"},   looks_like_etcd_log,
    open_etcd_log};

}  // namespace txscope
