#include "db/address.h"

#include <charconv>
#include <cstdlib>
#include <optional>

#include "db/keeper.h"
#include "db/postgresql.h"
#include "db/sqlite.h"

namespace txscope::db {
namespace {

/// %41 is A; none: not two hexadecimal digits.
std::optional<std::string> decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    unsigned byte = 0;
    const char* first = text.data() + i + 1;
    if (i + 2 >= text.size() ||
        std::from_chars(first, first + 2, byte, 16).ptr != first + 2)
      return std::nullopt;
    result += static_cast<char>(byte);
    i += 2;
  }
  return result;
}

/// user:password@host:port/database?options
struct Pieces {
  std::string_view user, password, host, database, options;
  bool has_password = false;
};

Pieces split(std::string_view rest) {
  Pieces pieces;
  const std::size_t query = rest.find('?');
  if (query != std::string_view::npos) {
    pieces.options = rest.substr(query + 1);
    rest = rest.substr(0, query);
  }
  const std::size_t slash = rest.find('/');
  if (slash != std::string_view::npos) {
    pieces.database = rest.substr(slash + 1);
    rest = rest.substr(0, slash);
  }
  const std::size_t at = rest.rfind('@');
  pieces.host = at == std::string_view::npos ? rest : rest.substr(at + 1);
  if (at == std::string_view::npos) return pieces;
  pieces.user = rest.substr(0, at);
  const std::size_t colon = pieces.user.find(':');
  if (colon == std::string_view::npos) return pieces;
  pieces.has_password = true;
  pieces.password = pieces.user.substr(colon + 1);
  pieces.user = pieces.user.substr(0, colon);
  return pieces;
}

/// The value of one option in a=b&c=d.
std::optional<std::string_view> option(std::string_view options,
                                       std::string_view name) {
  while (!options.empty()) {
    const std::size_t end = std::min(options.find('&'), options.size());
    const std::string_view one = options.substr(0, end);
    options.remove_prefix(std::min(end + 1, options.size()));
    if (one.substr(0, one.find('=')) == name && one.size() > name.size())
      return one.substr(name.size() + 1);
  }
  return std::nullopt;
}

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

Error bad_uri(std::string what) {
  return failure("--db: " + std::move(what),
                 "say postgresql://host/database, mariadb://host/database "
                 "or sqlite:file");
}

Result<MariadbAddress> mariadb_address(const Pieces& pieces) {
  MariadbAddress address;
  address.reads_option_files = true;
  const auto user = decoded(pieces.user);
  const auto password = decoded(pieces.password);
  const auto database = decoded(pieces.database);
  const auto socket = decoded(option(pieces.options, "socket").value_or(""));
  if (!user || !password || !database || !socket)
    return bad_uri("'%' must have two hexadecimal digits behind it");
  address.user = *user;
  address.password =
      pieces.has_password ? *password : from_environment("MYSQL_PWD");
  address.database = *database;
  std::string_view host = pieces.host;
  std::string_view port;
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.back() != ']') {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  address.host = host.empty() ? from_environment("MYSQL_HOST") : host;
  const std::string own_port =
      port.empty() ? from_environment("MYSQL_TCP_PORT") : std::string(port);
  const char* end = own_port.data() + own_port.size();
  if (!own_port.empty() &&
      (std::from_chars(own_port.data(), end, address.port).ptr != end ||
       address.port > 65535))
    return bad_uri("'" + own_port + "' is not a port");
  address.socket =
      socket->empty() ? from_environment("MYSQL_UNIX_PORT") : *socket;
  return address;
}

}  // namespace

Result<Address> Address::parse(const std::string& uri, bool allows_password) {
  Address address;
  const std::size_t colon = uri.find(':');
  const ProductAlias* scheme = product_named(uri.substr(0, colon));
  // Not the text itself: somebody may have put a password there.
  if (colon == std::string::npos || scheme == nullptr ||
      !row_of(scheme->product).is_driven)
    return bad_uri("this is not the URI of a database");
  address.product_ = scheme->product;
  const std::string product(name(address.product_));
  std::string_view rest = std::string_view(uri).substr(colon + 1);
  if (address.product_ == Product::Sqlite) {
    if (rest.starts_with("//")) rest.remove_prefix(2);
    if (rest.empty()) return bad_uri(product + ": needs the name of a file");
    address.path_ = rest;
    address.shown_ = product + ":" + address.path_;
    return address;
  }
  if (!rest.starts_with("//")) return bad_uri("'//' is missing");
  address.uri_ = product + ":" + std::string(rest);
  rest.remove_prefix(2);
  const Pieces pieces = split(rest);
  const auto option_password = option(pieces.options, "password");
  if ((pieces.has_password || option_password) && !allows_password)
    return failure(
        "--db: a password on the command line can be read by "
        "everyone on this machine",
        "put it into PGPASSWORD, ~/.pgpass, MYSQL_PWD or ~/.my.cnf, "
        "or the whole URI into TXSCOPE_DB");
  address.password_ =
      decoded(option_password.value_or(pieces.password)).value_or("");
  address.shown_ = product + "://" + std::string(pieces.user) +
                   (pieces.user.empty() ? "" : "@") + std::string(pieces.host) +
                   "/" + std::string(pieces.database);
  if (address.product_ == Product::PostgreSql) return address;
  auto mariadb = mariadb_address(pieces);
  if (!mariadb) return mariadb.error();
  address.mariadb_ = *std::move(mariadb);
  address.password_ = address.mariadb_.password;
  return address;
}

std::string Address::scrubbed(std::string text) const {
  if (password_.empty()) return text;
  for (std::size_t i = 0; (i = text.find(password_, i)) != std::string::npos;
       i += 3)
    text.replace(i, password_.size(), "***");
  return text;
}

Result<std::unique_ptr<Session>> Address::connect(
    const std::string& database) const {
  MariadbAddress mariadb = mariadb_;
  if (!database.empty()) mariadb.database = database;
  auto session = product_ == Product::PostgreSql
                     ? connect_postgresql(uri_, database)
                 : product_ == Product::MariaDb ? connect_mariadb(mariadb)
                                                : connect_sqlite(path_);
  if (session) return session;
  return failure("cannot connect to " + shown_ + ": " +
                 scrubbed(session.error().what));
}

}  // namespace txscope::db
