#include "race/start/copies.h"

#include <sys/statvfs.h>

#include <fstream>

#include "db/keeper.h"
#include "db/mariadb.h"
#include "db/postgresql.h"
#include "race/start/dump.h"

namespace txscope::race {
namespace {

constexpr const char* kBeginning = "race_beginning";
constexpr const char* kOwner = "postgres";  // of the private server
// What MariaDB has without a word; our private server is made for standard SQL.
constexpr const char* kUsualMode =
    "SET GLOBAL sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,"
    "NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION',"
    " GLOBAL collation_server = 'utf8mb4_general_ci'";

// The session's user, and the owner in quotes if need be.
constexpr const char* kNames =
    "SELECT session_user, quote_ident(r.rolname) FROM pg_database d"
    " JOIN pg_roles r ON r.oid = d.datdba WHERE datname = current_database()";

Error wrong_sql(const std::string& message, const std::string& file) {
  return Error{Place{file, 0, 0, {}}, message,
               "the file has to make the database that every run begins with",
               "", 0};
}

std::string megabytes(double bytes) {
  return std::to_string(static_cast<long long>(bytes / 1048576)) + " MB";
}

/// An Error if there is no room for the copy and what runs add to it.
Result<Done> expect_room(db::Session& source, const std::string& place) {
  const db::Answer size =
      source.execute("SELECT pg_database_size(current_database())");
  struct statvfs room {};
  if (!size.is_ok() || ::statvfs(place.c_str(), &room) != 0) return Done{};
  const double wanted = std::atof(size.rows.at(0).at(0).value_or("0").c_str());
  const double free =
      static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize);
  if (wanted * 2 < free) return Done{};
  return db::failure("the database cannot be copied: it has " +
                         megabytes(wanted) + ", and there are " +
                         megabytes(free) + " left at " + place,
                     "race on a database with less in it: a few rows show "
                     "what many show");
}

}  // namespace

Result<std::unique_ptr<Copies>> Copies::empty(Product product) {
  std::unique_ptr<Copies> copies(new Copies());
  copies->product_ = product;
  const bool is_postgresql = product == Product::PostgreSql;
  auto server = is_postgresql ? db::start_postgresql(db::DataPlace::Memory)
                              : db::start_mariadb();
  if (!server) return server.error();
  copies->server_ = *std::move(server);
  copies->endpoint_ = {copies->server_->host(), is_postgresql ? "5432" : "3306",
                       is_postgresql ? "" : "socket"};
  copies->user_ = is_postgresql ? kOwner : "root";
  auto maker = copies->connect();
  if (!maker) return maker.error();
  copies->maker_ = *std::move(maker);
  const db::Answer made = copies->maker_->execute(
      is_postgresql ? std::string("CREATE DATABASE ") + kBeginning
                    : kUsualMode);
  if (!made.is_ok())
    return db::failure("cannot make a database: " + made.message);
  copies->beginning_ = kBeginning;
  return copies;
}

Result<std::unique_ptr<Copies>> Copies::from_sql(const std::string& sql,
                                                 const std::string& file,
                                                 Product product) {
  auto copies = empty(product);
  if (!copies) return copies.error();
  if (product == Product::MariaDb) {
    const std::string kept = (*copies)->server_->host() + "/beginning.sql";
    std::ofstream(kept) << sql;
    (*copies)->beginning_ = kept;
    // Once now, so that a mistake is told with its file.
    if (auto ok = (*copies)->make_database("race_test"); !ok)
      return wrong_sql(ok.error().what, file);
    (*copies)->drop("race_test");
    return copies;
  }
  auto session = (*copies)->connect(kBeginning);
  if (!session) return session.error();
  if (const db::Answer answer = (*session)->execute(sql); !answer.is_ok())
    return wrong_sql(answer.message + " (" + answer.sqlstate + ")", file);
  auto options = options_of_postgresql(**session);
  if (!options) return options.error();
  (*copies)->options_ = *std::move(options);
  return copies;
}

Result<std::unique_ptr<Copies>> Copies::from_database(
    const db::Address& address) {
  const Product product = address.product();
  if (product != Product::PostgreSql && product != Product::MariaDb)
    return db::failure("race speaks with PostgreSQL and MariaDB only");
  auto source = address.connect();
  if (!source) return source.error();
  auto copies = empty(product);
  if (!copies) return copies.error();
  if (auto ok = (*copies)->take_settings(**source); !ok) return ok.error();
  const std::string& place = (*copies)->server_->host();
  if (product == Product::PostgreSql)
    if (auto ok = expect_room(**source, place); !ok) return ok.error();
  const std::string file = place + "/dump.sql";
  if (auto ok = dump(address, file); !ok) return ok.error();
  if (auto ok = (*copies)->load(file); !ok) return ok.error();
  return copies;
}

Result<Done> Copies::take_settings(db::Session& source) {
  if (product_ == Product::PostgreSql) {
    auto options = options_of_postgresql(source);
    if (!options) return options.error();
    options_ = *std::move(options);
    const db::Answer names = source.execute(kNames);
    if (!names.is_ok()) return db::failure(names.message);
    user_ = names.rows.at(0).at(0).value_or("");
    if (auto ok = copy_roles(source, *maker_); !ok) return ok;
    return own(names.rows.at(0).at(1).value_or(""));
  }
  const auto statements = settings_of_mariadb(source);
  if (!statements) return statements.error();
  const db::Answer set = maker_->execute(*statements);
  if (set.is_ok()) return Done{};
  return db::failure("the copy cannot have the settings of the database: " +
                     set.message);
}

Result<Done> Copies::own(const std::string& owner) {
  owner_ = owner;
  const db::Answer owned = maker_->execute(std::string("ALTER DATABASE ") +
                                           kBeginning + " OWNER TO " + owner);
  if (owned.is_ok()) return Done{};
  return db::failure("the copy cannot have its owner: " + owned.message);
}

Result<std::unique_ptr<Copies>> Copies::in_place(const db::Address& address) {
  if (address.product() != Product::PostgreSql)
    return db::failure(
        "--in-place: only a database of PostgreSQL can be put "
        "back between runs");
  auto session = address.connect();
  if (!session) return session.error();
  const db::PostgresqlEndpoint at = db::endpoint_of(**session);
  const db::Answer user = (*session)->execute("SELECT session_user");
  if (!user.is_ok()) return db::failure(user.message);
  std::unique_ptr<Copies> copies(new Copies());
  copies->address_ = address;
  copies->endpoint_ = {at.host, at.port, ""};
  copies->user_ = user.rows.at(0).at(0).value_or("");
  copies->beginning_ = at.database;
  copies->maker_ = *std::move(session);
  return copies;
}

Result<Done> Copies::load(const std::string& file) {
  if (product_ == Product::MariaDb) {
    beginning_ = file;
    return Done{};
  }
  const auto complaint =
      run_tool({"psql", "-q", "-X", "-v", "ON_ERROR_STOP=1", "-h",
                endpoint_.host, "-U", kOwner, "-d", kBeginning, "-f", file},
               {{"PGOPTIONS", ""}}, "postgresql-client");
  if (!complaint) return complaint.error();
  if (*complaint) return no_copy("psql: " + **complaint);
  return Done{};
}

Copies::~Copies() = default;

Result<std::unique_ptr<db::Session>> Copies::connect(
    const std::string& database) const {
  return address_ ? address_->connect(database) : server_->connect(database);
}

Result<Done> Copies::make_database(const std::string& name) {
  if (product_ == Product::MariaDb) {
    const db::Answer made = maker_->execute("CREATE DATABASE " + name);
    if (!made.is_ok()) return db::failure(made.message);
    // As text from standard input: only so an error ends it.
    const auto complaint = run_tool(
        {"/bin/sh", "-c", "exec mariadb \"$@\" < \"$0\"", beginning_,
         "--no-defaults", "--socket=" + endpoint_.host + "/" + endpoint_.file,
         "--user=" + user_, name},
        {}, "mariadb-client");
    if (!complaint) return complaint.error();
    if (*complaint) return db::failure(**complaint);
    if (changes_.empty()) return Done{};
    auto session = connect(name);
    if (!session) return session.error();
    const db::Answer changed = (*session)->execute(changes_);
    if (!changed.is_ok()) return db::failure(changed.message);
    return Done{};
  }
  const db::Answer made = maker_->execute(
      "CREATE DATABASE " + name + " TEMPLATE " +
      (changed_.empty() ? beginning_ : changed_) + " STRATEGY FILE_COPY" +
      (owner_.empty() ? "" : " OWNER " + owner_));
  if (!made.is_ok()) return db::failure(made.message);
  return Done{};
}

Result<Copies::Copy> Copies::make() {
  const std::lock_guard lock(mutex_);
  if (is_in_place()) return Copy(*this, beginning_);
  std::string name = "race_" + std::to_string(++made_);
  if (auto ok = make_database(name); !ok)
    return db::failure("cannot make a copy of the database: " +
                       ok.error().what);
  return Copy(*this, std::move(name));
}

Result<Done> Copies::change(const std::string& sql,
                            const std::string& isolation) {
  const std::lock_guard lock(mutex_);
  if (product_ == Product::MariaDb)
    if (auto ok = change_isolation(isolation); !ok) return ok;
  if (!changed_.empty()) {
    maker_->execute("DROP DATABASE IF EXISTS " + changed_ + " WITH (FORCE)");
    changed_.clear();
  }
  changes_ = sql;
  if (sql.empty() || product_ == Product::MariaDb) return Done{};
  const std::string name = "race_changed_" + std::to_string(++made_);
  if (auto ok = make_database(name); !ok) return ok;
  changed_ = name;
  auto session = connect(name);
  if (!session) return session.error();
  const db::Answer changed = (*session)->execute(sql);
  if (changed.is_ok()) return Done{};
  return db::failure(changed.message);
}

/// Of connections that are made from now on.
Result<Done> Copies::change_isolation(const std::string& isolation) {
  if (isolation.empty() && isolation_.empty()) return Done{};
  if (isolation_.empty()) {
    const db::Answer now = maker_->execute("SELECT @@GLOBAL.tx_isolation");
    if (!now.is_ok()) return db::failure(now.message);
    isolation_ = now.rows.at(0).at(0).value_or("");
  }
  const db::Answer set =
      maker_->execute("SET GLOBAL tx_isolation = '" +
                      (isolation.empty() ? isolation_ : isolation) + "'");
  if (set.is_ok()) return Done{};
  return db::failure(set.message);
}

void Copies::drop(const std::string& name) {
  if (is_in_place()) return;
  const std::lock_guard lock(mutex_);
  maker_->execute("DROP DATABASE IF EXISTS " + name +
                  (product_ == Product::PostgreSql ? " WITH (FORCE)" : ""));
}

}  // namespace txscope::race
