#include "race/reduce/catalog.h"

#include "db/keeper.h"

namespace txscope::race {
namespace {

#define TXSCOPE_NAME(c, n)                     \
  "CASE WHEN " n ".nspname = 'public' THEN " c \
  ".relname::text"                             \
  " ELSE " n ".nspname || '.' || " c ".relname END"
#define TXSCOPE_USERS(n)                                               \
  n ".nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast'," \
    " 'txscope_saved')"

// A default may call now() and the like, or draw from a sequence.  A function
// of the user's in a check, of the table or of a domain, or in an index may
// look at other rows.
constexpr const char* kTableFacts =
    "SELECT " TXSCOPE_NAME("c", "n") ", c.relkind = 'r'"
    " AND NOT c.relispartition AND NOT c.relrowsecurity"
    " AND NOT EXISTS (SELECT FROM pg_inherits i"
    " WHERE i.inhparent = c.oid OR i.inhrelid = c.oid)"
    " AND NOT EXISTS (SELECT FROM pg_rewrite r WHERE r.ev_class = c.oid)"
    " AND NOT EXISTS (SELECT FROM pg_trigger t"
    " WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)"
    " AND NOT EXISTS (SELECT FROM pg_attrdef d JOIN pg_depend p"
    " ON p.classid = 'pg_attrdef'::regclass AND p.objid = d.oid"
    " AND p.refclassid = 'pg_proc'::regclass WHERE d.adrelid = c.oid)"
    " AND NOT EXISTS (SELECT FROM pg_constraint k JOIN pg_depend p"
    " ON p.classid = 'pg_constraint'::regclass AND p.objid = k.oid"
    " AND p.refclassid = 'pg_proc'::regclass"
    " WHERE k.conrelid = c.oid OR k.contypid <> 0)"
    " AND NOT EXISTS (SELECT FROM pg_index i JOIN pg_depend p"
    " ON p.classid = 'pg_class'::regclass AND p.objid = i.indexrelid"
    " AND p.refclassid = 'pg_proc'::regclass WHERE i.indrelid = c.oid)"
    // Which of them a statement means depends on its search_path.
    " AND NOT EXISTS (SELECT FROM pg_class o JOIN pg_namespace m"
    " ON m.oid = o.relnamespace WHERE o.relname = c.relname"
    " AND o.oid <> c.oid AND o.relkind IN ('r', 'p', 'v', 'm', 'f')"
    " AND " TXSCOPE_USERS("m") ")"
    " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND " TXSCOPE_USERS("n");

// An index over an expression, over a generated column, or of the rows with
// some value, changes with any column.
constexpr const char* kKeys =
    "SELECT " TXSCOPE_NAME("c", "n") ", a.attname,"
    " i.indnkeyatts = 1 AND i.indisunique AND i.indpred IS NULL"
    " AND a.attnotnull AND a.attnum = i.indkey[0],"
    " i.indisprimary,"
    " a.atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype),"
    " a.atttypid IN ('text'::regtype, 'varchar'::regtype)"
    // Else 'a' and 'A' may name the same row.
    " AND coalesce((SELECT l.collisdeterministic FROM pg_collation l"
    " WHERE l.oid = a.attcollation), true)"
    " FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid"
    " JOIN pg_namespace n ON n.oid = c.relnamespace"
    " JOIN pg_attribute a ON a.attrelid = c.oid"
    " AND (a.attnum = ANY (i.indkey::int2[]) OR 0 = ANY (i.indkey::int2[])"
    " OR i.indpred IS NOT NULL OR EXISTS (SELECT FROM pg_attribute g"
    " WHERE g.attrelid = c.oid AND g.attgenerated <> ''"
    " AND g.attnum = ANY (i.indkey::int2[])))"
    " AND a.attnum > 0 WHERE " TXSCOPE_USERS("n");

constexpr const char* kReferences =
    "SELECT " TXSCOPE_NAME("c", "n") ", " TXSCOPE_NAME("p", "m")
    " FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid"
    " JOIN pg_namespace n ON n.oid = c.relnamespace"
    " JOIN pg_class p ON p.oid = k.confrelid"
    " JOIN pg_namespace m ON m.oid = p.relnamespace WHERE k.contype = 'f'";

constexpr const char* kSequences =
    "SELECT " TXSCOPE_NAME("c", "n") ", s.oid::text"
    " FROM pg_attrdef d JOIN pg_class c ON c.oid = d.adrelid"
    " JOIN pg_namespace n ON n.oid = c.relnamespace"
    " JOIN pg_depend p ON p.classid = 'pg_attrdef'::regclass"
    " AND p.objid = d.oid AND p.refclassid = 'pg_class'::regclass"
    " JOIN pg_class s ON s.oid = p.refobjid AND s.relkind = 'S'";

constexpr const char* kGenerated =
    "SELECT " TXSCOPE_NAME("c", "n") ", a.attname FROM pg_attribute a"
    " JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')"
    " JOIN pg_namespace n ON n.oid = c.relnamespace"
    " LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum"
    " WHERE a.attnum > 0 AND NOT a.attisdropped AND (a.attidentity <> ''"
    " OR pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%')";

constexpr const char* kOneColumnReferences =
    "SELECT " TXSCOPE_NAME("c", "n") ", a.attname, "
    TXSCOPE_NAME("p", "m") " || '.' || b.attname"
    " FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid"
    " JOIN pg_namespace n ON n.oid = c.relnamespace"
    " JOIN pg_class p ON p.oid = k.confrelid"
    " JOIN pg_namespace m ON m.oid = p.relnamespace"
    " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]"
    " JOIN pg_attribute b ON b.attrelid = p.oid AND b.attnum = k.confkey[1]"
    " WHERE k.contype = 'f' AND cardinality(k.conkey) = 1";

constexpr const char* kHarmless =
    "SELECT p.proname FROM pg_proc p"
    " GROUP BY p.proname HAVING bool_and(p.pronamespace ="
    " 'pg_catalog'::regnamespace AND (p.provolatile IN ('i', 's') OR"
    " p.proname IN ('random', 'clock_timestamp', 'gen_random_uuid',"
    " 'timeofday', 'currval', 'lastval')))"
    " AND NOT bool_or(p.proname LIKE 'pg\\_%' OR p.proname LIKE '%\\_to\\_xml%'"
    " OR p.proname LIKE 'ts\\_stat%' OR p.proname LIKE 'txid\\_%')";

constexpr const char* kSettings =
    "SELECT EXISTS (SELECT FROM pg_constraint WHERE condeferrable),"
    " EXISTS (SELECT FROM pg_operator WHERE oprnamespace <>"
    " 'pg_catalog'::regnamespace)"
    " OR EXISTS (SELECT FROM pg_cast k JOIN pg_proc p ON p.oid = k.castfunc"
    " WHERE p.pronamespace <> 'pg_catalog'::regnamespace)"
    // t.f may be f(t).
    " OR EXISTS (SELECT FROM pg_proc p JOIN pg_type t"
    " ON t.oid = p.proargtypes[0] AND t.typtype = 'c' WHERE p.pronargs = 1"
    " AND p.pronamespace <> 'pg_catalog'::regnamespace),"
    " current_setting('default_transaction_isolation')";

// Of MariaDB only names and keys: what its statements touch is told roughly.
constexpr const char* kTablesOfMariadb =
    "SELECT t.table_name, t.table_type = 'BASE TABLE' AND NOT EXISTS"
    " (SELECT 1 FROM information_schema.triggers g"
    " WHERE g.event_object_schema = t.table_schema"
    " AND g.event_object_table = t.table_name)"
    " FROM information_schema.tables t WHERE t.table_schema = database()";

constexpr const char* kKeysOfMariadb =
    "SELECT table_name, column_name, data_type IN ('int', 'bigint',"
    " 'smallint', 'mediumint', 'tinyint') FROM information_schema.columns c"
    " WHERE table_schema = database() AND column_key = 'PRI'"
    " AND (SELECT count(*) FROM information_schema.columns o"
    " WHERE o.table_schema = c.table_schema AND o.table_name = c.table_name"
    " AND o.column_key = 'PRI') = 1";

constexpr const char* kNumbersOfMariadb =
    "SELECT table_name, column_name FROM information_schema.columns"
    " WHERE table_schema = database() AND extra LIKE '%auto_increment%'";

constexpr const char* kReferencesOfMariadb =
    "SELECT table_name, min(column_name), concat(min(referenced_table_name),"
    " '.', min(referenced_column_name))"
    " FROM information_schema.key_column_usage"
    " WHERE table_schema = database() AND referenced_table_name IS NOT NULL"
    " GROUP BY table_name, constraint_name HAVING count(*) = 1";

// Tables without transactions show what is not committed.
constexpr const char* kSettingsOfMariadb =
    "SELECT @@tx_isolation, EXISTS (SELECT 1 FROM information_schema.tables"
    " WHERE table_schema = database() AND table_type = 'BASE TABLE'"
    " AND engine <> 'InnoDB')";

// They look at nothing but their arguments.
constexpr const char* const kFunctionsOfMariadb[] = {
    "count", "sum",    "min",   "max", "avg",   "coalesce", "ifnull", "lower",
    "upper", "concat", "round", "abs", "floor", "greatest", "least",  "now"};

#undef TXSCOPE_NAME
#undef TXSCOPE_USERS

using Rows = std::vector<std::vector<db::Cell>>;

class CatalogReader {
 public:
  explicit CatalogReader(db::Session& session) : session_(session) {}

  Result<Catalog> run() {
    ask(kTableFacts, [&](const auto& row) {
      catalog_.tables[*row[0]].is_plain = row[1] == "t";
    });
    ask(kKeys, [&](const auto& row) {
      Catalog::Table& table = catalog_.tables[*row[0]];
      table.special.insert(*row[1]);
      if (row[2] != "t") return;
      table.unique.insert(*row[1]);
      if (row[3] != "t" || (row[4] != "t" && row[5] != "t")) return;
      table.key = *row[1];
      table.key_is_number = row[4] == "t";
    });
    ask(kReferences, [&](const auto& row) {
      catalog_.tables[*row[0]].parents.insert(*row[1]);
      catalog_.tables[*row[1]].children.insert(*row[0]);
    });
    ask(kSequences, [&](const auto& row) {
      catalog_.tables[*row[0]].sequences.insert("sequence " + *row[1]);
    });
    ask(kGenerated, [&](const auto& row) {
      catalog_.tables[*row[0]].generated.insert(*row[1]);
    });
    ask(kOneColumnReferences, [&](const auto& row) {
      catalog_.tables[*row[0]].references.emplace(*row[1], *row[2]);
    });
    ask(kHarmless,
        [&](const auto& row) { catalog_.harmless_functions.insert(*row[0]); });
    ask(kSettings, [&](const auto& row) {
      catalog_.has_deferred = row[0] == "t";
      catalog_.has_operators = row[1] == "t";
      catalog_.isolation = *row[2];
    });
    if (!problem_.empty())
      return db::failure("cannot read the catalogue: " + problem_);
    return std::move(catalog_);
  }

  Result<Catalog> run_mariadb() {
    catalog_.product = Product::MariaDb;
    ask(kTablesOfMariadb, [&](const auto& row) {
      catalog_.tables[*row[0]].is_plain = row[1] == "1";
    });
    ask(kKeysOfMariadb, [&](const auto& row) {
      Catalog::Table& table = catalog_.tables[*row[0]];
      table.special.insert(*row[1]);
      if (row[2] != "1") return;  // 'a' and 'A' may be the same
      table.key = *row[1];
      table.key_is_number = true;
    });
    for (const char* name : kFunctionsOfMariadb)
      catalog_.harmless_functions.insert(name);
    ask(kNumbersOfMariadb, [&](const auto& row) {
      catalog_.tables[*row[0]].generated.insert(*row[1]);
    });
    ask(kReferencesOfMariadb, [&](const auto& row) {
      catalog_.tables[*row[0]].references.emplace(*row[1], *row[2]);
    });
    ask(kSettingsOfMariadb, [&](const auto& row) {
      const bool notices_all = *row[0] == "SERIALIZABLE" ||
                               *row[0] == "READ-UNCOMMITTED" || row[1] == "1";
      catalog_.isolation = notices_all ? "serializable" : "repeatable read";
      catalog_.reads_committed = *row[0] != "REPEATABLE-READ";
    });
    if (!problem_.empty())
      return db::failure("cannot read the catalogue: " + problem_);
    return std::move(catalog_);
  }

 private:
  template <class Take>
  void ask(const char* sql, Take take) {
    const db::Answer answer = session_.execute(sql);
    if (!answer.is_ok()) problem_ = answer.message;
    for (const auto& row : answer.rows) take(row);
  }

  db::Session& session_;
  Catalog catalog_;
  std::string problem_;
};

}  // namespace

Result<Catalog> Catalog::read(db::Session& session, Product product) {
  CatalogReader reader(session);
  return product == Product::MariaDb ? reader.run_mariadb() : reader.run();
}

}  // namespace txscope::race
