#include "cli/record_setup.h"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/diagnostics.h"
#include "db/dialect.h"
#include "db/record/fuzz_actor.h"
#include "db/record/key_actor.h"
#include "db/workloads/workload.h"
#include "read/sql/sql.h"

namespace txscope::cli {
namespace {

constexpr std::uint64_t kMaxClients = 100;

// "8" or "4..12"
bool parse_range(std::string_view text, std::uint64_t& low,
                 std::uint64_t& high) {
  const auto number = [](std::string_view part, std::uint64_t& target) {
    const char* end = part.data() + part.size();
    return std::from_chars(part.data(), end, target).ptr == end &&
           !part.empty();
  };
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos)
    return number(text, low) && number(text, high) && low > 0;
  return number(text.substr(0, dots), low) &&
         number(text.substr(dots + 2), high) && low > 0 && low <= high;
}

bool is_share(double number) { return number >= 0 && number <= 1; }

Result<Done> check_numbers(const Options& options) {
  if (options.client_count() < 1 || options.client_count() > kMaxClients)
    return wrong_call("--clients: " + std::to_string(options.client_count()) +
                          " is out of range",
                      "between 1 and " + std::to_string(kMaxClients));
  if (!is_share(options.rows_accessed) || !is_share(options.blind_writes) ||
      !is_share(options.read_only) || !is_share(options.reads))
    return wrong_call("a share is between 0 and 1", "0.2 is a fifth");
  if (!(options.rate >= 0))
    return wrong_call("--rate is a number of transactions per second",
                      "0 is without limit");
  if (options.record_keys < 1 || options.record_keys > 1'000'000)
    return wrong_call("--keys: between 1 and 1000000", "default 100");
  if (options.scale > 1'000'000)
    return wrong_call("--scale: at most 1000000", "");
  if (options.schema.empty() || options.schema.size() > 60)
    return wrong_call("--schema: a name of at most 60 bytes is needed", "");
  return Done{};
}

Result<std::string> file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf()))
    return Error{Place{path, 0, 0, {}}, "cannot read",
                 "a workload is a built-in one (bank, twitter, rubis, tpcc, "
                 "fuzz, register, list-append) or a file",
                 ""};
  return text.str();
}

Result<db::KeyShape> key_shape(const Options& options) {
  db::KeyShape shape;
  shape.has_lists = options.workload == "list-append";
  shape.keys = options.record_keys;
  shape.reads = options.reads;
  if (!parse_range(options.record_operations, shape.min_operations,
                   shape.max_operations) ||
      shape.max_operations > 1000)
    return wrong_call(
        "--operations: cannot read '" + options.record_operations + "'",
        "say 4 or 1..6; at most 1000");
  return shape;
}

/// Texts for the server, texts for the log, and the names of the tables.
struct Load {
  std::vector<std::string> sent;
  std::vector<std::string> logged;
  std::vector<std::string> tables;
};

Result<Load> load_application(RecordSetup& setup, const Options& options,
                              const db::Workload* workload) {
  std::string source;
  if (workload != nullptr) {
    source = workload->source();
  } else {
    auto text = file_text(options.workload);
    if (!text) return text.error();
    source = *std::move(text);
  }
  const std::string name = workload != nullptr
                               ? std::string(workload->name) + ".sql"
                               : options.workload;
  auto application = read_sql(name, std::move(source), false);
  if (!application) return application.error();
  setup.application =
      std::make_unique<sql::Application>(*std::move(application));
  setup.routines.emplace(*setup.application, 1'000'000);
  const sql::Application& made = *setup.application;
  const db::Product product = setup.plan.product;
  Load load;
  for (const Span span : made.load) {
    const std::string text(made.text(span));
    // A log whose statements come one by one needs no procedures.
    const bool is_routine =
        text.find("FUNCTION") < 30 || text.find("PROCEDURE") < 30 ||
        text.find("function") < 30 || text.find("procedure") < 30;
    if (options.stored || !is_routine) load.logged.push_back(text);
    if (product == db::Product::PostgreSql) load.sent.push_back(text);
  }
  if (product != db::Product::PostgreSql)
    load.sent = db::load_texts(made, product);
  for (const sql::Table& table : made.schema.tables)
    load.tables.push_back(table.name);
  return load;
}

db::WorkloadOptions workload_options(const Options& options,
                                     const db::Workload* workload) {
  db::WorkloadOptions own;
  own.scale = options.scale;
  if (own.scale == 0 && workload != nullptr) own.scale = workload->scale;
  own.rows_accessed = options.rows_accessed;
  own.blind_writes = options.blind_writes;
  own.read_only = options.read_only;
  return own;
}

Result<Load> use_application(RecordSetup& setup, const Options& options) {
  const db::Workload* workload = db::find_workload(options.workload);
  const db::Product product = setup.plan.product;
  if (options.stored && product != db::Product::PostgreSql)
    return wrong_call(
        "--stored: the procedures are PL/pgSQL, which only "
        "PostgreSQL runs",
        "leave it out: txscope runs them itself then");
  auto load = load_application(setup, options, workload);
  if (!load) return load.error();
  const db::WorkloadOptions own = workload_options(options, workload);
  if (workload != nullptr)
    for (const std::string& text : workload->rows(own)) {
      load->sent.push_back(text);
      load->logged.push_back(text);
    }
  std::vector<db::CallSource> sources;
  for (std::uint64_t client = 0; client < options.client_count(); ++client) {
    if (workload != nullptr) {
      sources.push_back(workload->calls(*setup.application, own, client));
      continue;
    }
    auto source = db::application_calls(*setup.application,
                                        options.random_arguments, client);
    if (!source) return source.error();
    sources.push_back(*std::move(source));
  }
  setup.make_actor = [&setup, sources, product,
                      is_stored = options.stored](std::uint64_t client) {
    return std::make_unique<db::ApplicationActor>(*setup.routines, product,
                                                  is_stored, sources[client]);
  };
  return load;
}

Result<Load> use_keys(RecordSetup& setup, const Options& options) {
  const auto shape = key_shape(options);
  if (!shape) return shape.error();
  Load load;
  load.sent = db::KeyActor::setup(*shape);
  load.logged = load.sent;
  load.tables = {shape->has_lists ? "lists" : "registers"};
  setup.plan.is_history = true;
  setup.header.is_history = true;
  setup.header.has_lists = shape->has_lists;
  setup.make_actor = [shape = *shape,
                      product = setup.plan.product](std::uint64_t client) {
    return std::make_unique<db::KeyActor>(product, shape, client);
  };
  return load;
}

Result<Load> use_fuzz(RecordSetup& setup, const Options& options) {
  const auto shape = key_shape(options);
  if (!shape) return shape.error();
  Load load;
  load.sent = db::FuzzActor::setup(*shape);
  load.logged = load.sent;
  load.tables = db::FuzzActor::tables();
  setup.make_actor = [shape = *shape,
                      product = setup.plan.product](std::uint64_t) {
    return std::make_unique<db::FuzzActor>(product, shape);
  };
  return load;
}

Result<Load> use_workload(RecordSetup& setup, const Options& options) {
  if (options.workload == "register" || options.workload == "list-append")
    return use_keys(setup, options);
  if (options.workload == "fuzz") return use_fuzz(setup, options);
  return use_application(setup, options);
}

}  // namespace

void RecordSetup::end(const db::Session& session) const {
  const std::string id = std::to_string(session.id());
  switch (database->product()) {
    case db::Product::PostgreSql:
      control->execute("SELECT pg_terminate_backend(" + id + ")");
      return;
    case db::Product::MariaDb: control->execute("KILL " + id); return;
    case db::Product::Sqlite: return;
  }
}

Result<std::unique_ptr<db::Session>> RecordSetup::connect() const {
  auto session = database->connect();
  if (!session) return session.error();
  std::vector<std::string> texts;
  if (const std::string enter = schema->enter(); !enter.empty())
    texts.push_back(enter);
  if (!plan.isolation.session.empty()) texts.push_back(plan.isolation.session);
  auto done = db::execute_all(**session, texts);
  if (!done) return done.error();
  return session;
}

Result<std::unique_ptr<db::Database>> open_database(const Options& options) {
  const char* environment = std::getenv("TXSCOPE_DB");
  const bool is_given = !options.db.empty();
  const std::string uri = is_given                 ? options.db
                          : environment != nullptr ? environment
                                                   : "";
  for (const db::Product product :
       {db::Product::PostgreSql, db::Product::MariaDb, db::Product::Sqlite}) {
    const bool is_default = uri.empty() && product == db::Product::PostgreSql;
    if (uri != db::name(product) && !is_default) continue;
    auto database = db::Database::start_private(product);
    if (!database) return database.error();
    return std::make_unique<db::Database>(*std::move(database));
  }
  auto address = db::Address::parse(uri, !is_given);
  if (!address) return address.error();
  return std::make_unique<db::Database>(db::Database::of(*std::move(address)));
}

Result<std::unique_ptr<RecordSetup>> make_setup(const Options& options) {
  if (auto ok = check_numbers(options); !ok) return ok.error();
  auto setup = std::make_unique<RecordSetup>();
  auto database = open_database(options);
  if (!database) return database.error();
  setup->database = *std::move(database);
  db::RecordPlan& plan = setup->plan;
  plan.product = setup->database->product();
  auto isolation = db::isolation(plan.product, options.level);
  if (!isolation) return isolation.error();
  plan.isolation = *std::move(isolation);
  plan.clients = options.client_count();
  plan.transactions = options.transactions;
  plan.seed = options.seed;
  plan.retries = options.retries;
  plan.rate = options.rate;
  auto load = use_workload(*setup, options);
  if (!load) return load.error();

  auto control = setup->database->connect();
  if (!control) return control.error();
  setup->control = *std::move(control);
  auto schema = db::OwnSchema::make(*setup->control, plan.product,
                                    options.schema, load->tables, options.drop);
  if (!schema) return schema.error();
  setup->schema.emplace(*std::move(schema));
  auto done = db::execute_all(*setup->control, load->sent);
  if (!done) return done.error();
  if (options.keep) setup->schema->keep();
  if (plan.product == db::Product::PostgreSql) {
    // Sequential scans lock whole tables at SERIALIZABLE; known sizes help.
    setup->control->execute("ANALYZE");
    plan.has_commit_times = db::has_commit_times(*setup->control);
  }
  db::LogHeader& header = setup->header;
  if (plan.product == db::Product::PostgreSql)
    header.settings.emplace_back("clock", db::clock_of(*setup->control));
  header.database = db::version_of(*setup->control, plan.product);
  header.dialect = db::name(plan.product);
  header.level = plan.isolation.level;
  header.setup = std::move(load->logged);
  return setup;
}

}  // namespace txscope::cli
