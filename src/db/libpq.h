#pragma once

#include <libpq-fe.h>

#include "db/client_library.h"

// The functions of libpq, under their own names and not linked: within the
// namespace these are what a call finds.
namespace txscope::db {

inline constinit ClientLibrary libpq("libpq.so.5");

#define TXSCOPE_CLIENT_FUNCTION(name) \
  inline constinit ClientFunction<decltype(::name)> name(libpq, #name);
TXSCOPE_CLIENT_FUNCTION(PQbackendPID)
TXSCOPE_CLIENT_FUNCTION(PQclear)
TXSCOPE_CLIENT_FUNCTION(PQcmdTuples)
TXSCOPE_CLIENT_FUNCTION(PQconnectdbParams)
TXSCOPE_CLIENT_FUNCTION(PQconsumeInput)
TXSCOPE_CLIENT_FUNCTION(PQdb)
TXSCOPE_CLIENT_FUNCTION(PQerrorMessage)
TXSCOPE_CLIENT_FUNCTION(PQfinish)
TXSCOPE_CLIENT_FUNCTION(PQfname)
TXSCOPE_CLIENT_FUNCTION(PQftype)
TXSCOPE_CLIENT_FUNCTION(PQgetResult)
TXSCOPE_CLIENT_FUNCTION(PQgetisnull)
TXSCOPE_CLIENT_FUNCTION(PQgetvalue)
TXSCOPE_CLIENT_FUNCTION(PQhost)
TXSCOPE_CLIENT_FUNCTION(PQhostaddr)
TXSCOPE_CLIENT_FUNCTION(PQisBusy)
TXSCOPE_CLIENT_FUNCTION(PQnfields)
TXSCOPE_CLIENT_FUNCTION(PQntuples)
TXSCOPE_CLIENT_FUNCTION(PQport)
TXSCOPE_CLIENT_FUNCTION(PQresultErrorField)
TXSCOPE_CLIENT_FUNCTION(PQresultErrorMessage)
TXSCOPE_CLIENT_FUNCTION(PQresultStatus)
TXSCOPE_CLIENT_FUNCTION(PQsendQuery)
TXSCOPE_CLIENT_FUNCTION(PQsetNoticeReceiver)
TXSCOPE_CLIENT_FUNCTION(PQsocket)
TXSCOPE_CLIENT_FUNCTION(PQstatus)
#undef TXSCOPE_CLIENT_FUNCTION

}  // namespace txscope::db
