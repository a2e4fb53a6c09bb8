#pragma once

#include <mariadb/mysql.h>

#include "db/client_library.h"

// The functions of MariaDB's Connector/C, under their own names and not linked:
// within the namespace these are what a call finds.
namespace txscope::db {

inline constinit ClientLibrary libmariadb("libmariadb.so.3");

#define TXSCOPE_CLIENT_FUNCTION(name) \
  inline constinit ClientFunction<decltype(::name)> name(libmariadb, #name);
TXSCOPE_CLIENT_FUNCTION(mysql_affected_rows)
TXSCOPE_CLIENT_FUNCTION(mysql_close)
TXSCOPE_CLIENT_FUNCTION(mysql_errno)
TXSCOPE_CLIENT_FUNCTION(mysql_error)
TXSCOPE_CLIENT_FUNCTION(mysql_fetch_fields)
TXSCOPE_CLIENT_FUNCTION(mysql_fetch_lengths)
TXSCOPE_CLIENT_FUNCTION(mysql_fetch_row)
TXSCOPE_CLIENT_FUNCTION(mysql_free_result)
TXSCOPE_CLIENT_FUNCTION(mysql_get_socket)
TXSCOPE_CLIENT_FUNCTION(mysql_init)
TXSCOPE_CLIENT_FUNCTION(mysql_more_results)
TXSCOPE_CLIENT_FUNCTION(mysql_next_result)
TXSCOPE_CLIENT_FUNCTION(mysql_num_fields)
TXSCOPE_CLIENT_FUNCTION(mysql_optionsv)
TXSCOPE_CLIENT_FUNCTION(mysql_read_query_result)
TXSCOPE_CLIENT_FUNCTION(mysql_real_connect)
TXSCOPE_CLIENT_FUNCTION(mysql_send_query)
TXSCOPE_CLIENT_FUNCTION(mysql_sqlstate)
TXSCOPE_CLIENT_FUNCTION(mysql_store_result)
TXSCOPE_CLIENT_FUNCTION(mysql_thread_id)
#undef TXSCOPE_CLIENT_FUNCTION

}  // namespace txscope::db
