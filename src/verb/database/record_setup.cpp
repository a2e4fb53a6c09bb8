#include "verb/database/record_setup.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/file.h"
#include "db/dialect.h"
#include "db/record/fuzz_actor.h"
#include "db/record/key_actor.h"
#include "db/workloads/workload.h"
#include "read/sql/sql.h"
#include "verb/input/wrong_call.h"

namespace txscope::verb {
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

Result<Done> check_numbers(const RecordRequest& request) {
  if (request.client_count() < 1 || request.client_count() > kMaxClients)
    return wrong_call("--clients: " + std::to_string(request.client_count()) +
                          " is out of range",
                      "between 1 and " + std::to_string(kMaxClients));
  if (!is_share(request.rows_accessed) || !is_share(request.blind_writes) ||
      !is_share(request.read_only) || !is_share(request.reads))
    return wrong_call("a share is between 0 and 1", "0.2 is a fifth");
  if (!(request.rate >= 0))
    return wrong_call("--rate is a number of transactions per second",
                      "0 means no limit");
  if (request.keys < 1 || request.keys > 1'000'000)
    return wrong_call("--keys: between 1 and 1000000", "default 100");
  if (request.scale > 1'000'000)
    return wrong_call("--scale: at most 1000000", "");
  if (request.schema.empty() || request.schema.size() > 60)
    return wrong_call("--schema: a name of at most 60 bytes is needed", "");
  return Done{};
}

Result<std::string> file_text(const RecordRequest& request) {
  const std::string& path = request.workload;
  auto text = read_whole(
      path, std::min(request.time.value_or(kPipePatience), kPipePatience));
  if (text) return text;
  Error error = text.error();
  if (error.hint.empty())
    error.hint =
        "a workload is a built-in one (bank, twitter, rubis, tpcc, fuzz, "
        "register, list-append) or a file";
  return error;
}

Result<db::KeyShape> key_shape(const RecordRequest& request) {
  db::KeyShape shape;
  shape.has_lists = request.workload == "list-append";
  shape.keys = request.keys;
  shape.reads = request.reads;
  if (!parse_range(request.operations, shape.min_operations,
                   shape.max_operations) ||
      shape.max_operations > 1000)
    return wrong_call("--operations: cannot read '" + request.operations + "'",
                      "say 4 or 1..6; at most 1000");
  return shape;
}

/// Texts for the server, and texts for the log.
struct Load {
  std::vector<std::string> sent;
  std::vector<std::string> logged;
};

Result<Load> load_application(RecordSetup& setup, const RecordRequest& request,
                              const db::Workload* workload) {
  std::string source;
  if (workload != nullptr) {
    source = workload->source();
  } else {
    auto text = file_text(request);
    if (!text) return text.error();
    source = *std::move(text);
  }
  const std::string name = workload != nullptr
                               ? std::string(workload->name) + ".sql"
                               : request.workload;
  auto application = sql::read_sql(name, std::move(source), false);
  if (!application) return application.error();
  setup.application =
      std::make_unique<sql::Application>(*std::move(application));
  setup.routines.emplace(*setup.application, 1'000'000);
  const sql::Application& made = *setup.application;
  const Product product = setup.plan.product;
  if (auto ok = db::check_names(made, product); !ok) return ok.error();
  Load load;
  for (const Span span : made.load) {
    const std::string text(made.text(span));
    // A log whose statements come one by one needs no procedures.
    const bool is_routine =
        text.find("FUNCTION") < 30 || text.find("PROCEDURE") < 30 ||
        text.find("function") < 30 || text.find("procedure") < 30;
    if (request.stored || !is_routine) load.logged.push_back(text);
    if (product == Product::PostgreSql) load.sent.push_back(text);
  }
  if (product != Product::PostgreSql) load.sent = db::load_texts(made, product);
  return load;
}

db::WorkloadOptions workload_options(const RecordRequest& request,
                                     const db::Workload* workload) {
  db::WorkloadOptions own;
  own.scale = request.scale;
  if (own.scale == 0 && workload != nullptr) own.scale = workload->scale;
  own.rows_accessed = request.rows_accessed;
  own.blind_writes = request.blind_writes;
  own.read_only = request.read_only;
  return own;
}

Result<Load> use_application(RecordSetup& setup, const RecordRequest& request) {
  const db::Workload* workload = db::find_workload(request.workload);
  const Product product = setup.plan.product;
  if (request.stored && product != Product::PostgreSql)
    return wrong_call(
        "--stored: the procedures are PL/pgSQL, which only "
        "PostgreSQL runs",
        "leave it out: then txscope runs them itself");
  auto load = load_application(setup, request, workload);
  if (!load) return load.error();
  const db::WorkloadOptions own = workload_options(request, workload);
  if (workload != nullptr)
    for (const std::string& text : workload->rows(own)) {
      load->sent.push_back(text);
      load->logged.push_back(text);
    }
  std::vector<db::CallSource> sources;
  for (std::uint64_t client = 0; client < request.client_count(); ++client) {
    if (workload != nullptr) {
      sources.push_back(workload->calls(*setup.application, own, client));
      continue;
    }
    auto source = db::application_calls(*setup.application,
                                        request.random_arguments, client);
    if (!source) return source.error();
    sources.push_back(*std::move(source));
  }
  setup.make_actor = [&setup, sources, product,
                      is_stored = request.stored](std::uint64_t client) {
    return std::make_unique<db::ApplicationActor>(*setup.routines, product,
                                                  is_stored, sources[client]);
  };
  return load;
}

Result<Load> use_keys(RecordSetup& setup, const RecordRequest& request) {
  const auto shape = key_shape(request);
  if (!shape) return shape.error();
  Load load;
  load.sent = db::KeyActor::setup(*shape);
  load.logged = load.sent;
  setup.plan.is_history = true;
  setup.header.is_history = true;
  setup.header.has_lists = shape->has_lists;
  setup.make_actor = [shape = *shape,
                      product = setup.plan.product](std::uint64_t client) {
    return std::make_unique<db::KeyActor>(product, shape, client);
  };
  return load;
}

Result<Load> use_fuzz(RecordSetup& setup, const RecordRequest& request) {
  const auto shape = key_shape(request);
  if (!shape) return shape.error();
  Load load;
  load.sent = db::FuzzActor::setup(*shape);
  load.logged = load.sent;
  setup.make_actor = [shape = *shape,
                      product = setup.plan.product](std::uint64_t) {
    return std::make_unique<db::FuzzActor>(product, shape);
  };
  return load;
}

Result<Load> use_workload(RecordSetup& setup, const RecordRequest& request) {
  if (request.workload == "register" || request.workload == "list-append")
    return use_keys(setup, request);
  if (request.workload == "fuzz") return use_fuzz(setup, request);
  return use_application(setup, request);
}

}  // namespace

void RecordSetup::end(const db::Session& session) const {
  const std::string id = std::to_string(session.id());
  switch (database->product()) {
    case Product::PostgreSql:
      control->execute("SELECT pg_terminate_backend(" + id + ")");
      return;
    case Product::MariaDb: control->execute("KILL " + id); return;
    case Product::Sqlite:
    case Product::Oracle: return;
  }
}

Result<std::unique_ptr<db::Session>> RecordSetup::connect() const {
  auto session = own->connect();
  if (!session || plan.isolation.session.empty()) return session;
  auto done = db::execute_all(**session, {plan.isolation.session});
  if (!done) return done.error();
  return session;
}

Result<std::unique_ptr<db::Database>> open_database(
    const RecordRequest& request) {
  const char* environment = std::getenv("TXSCOPE_DB");
  const bool is_given = !request.db.empty();
  const std::string uri = is_given                 ? request.db
                          : environment != nullptr ? environment
                                                   : "";
  const ProductAlias* named =
      product_named(uri.empty() ? name(Product::PostgreSql) : uri);
  if (named != nullptr && row_of(named->product).is_driven) {
    auto database = db::Database::start_private(named->product);
    if (!database) return database.error();
    return std::make_unique<db::Database>(*std::move(database));
  }
  auto address = db::Address::parse(uri, !is_given);
  if (!address) return address.error();
  return std::make_unique<db::Database>(db::Database::of(*std::move(address)));
}

Result<std::unique_ptr<RecordSetup>> make_setup(const RecordRequest& request) {
  if (auto ok = check_numbers(request); !ok) return ok.error();
  auto setup = std::make_unique<RecordSetup>();
  auto database = open_database(request);
  if (!database) return database.error();
  setup->database = *std::move(database);
  db::RecordPlan& plan = setup->plan;
  plan.product = setup->database->product();
  auto isolation = db::isolation(plan.product, request.level);
  if (!isolation) return isolation.error();
  plan.isolation = *std::move(isolation);
  plan.clients = request.client_count();
  plan.transactions = request.transactions;
  plan.seed = request.seed;
  plan.retries = request.retries;
  plan.rate = request.rate;
  auto load = use_workload(*setup, request);
  if (!load) return load.error();

  auto own =
      db::OwnDatabase::make(*setup->database, request.schema, request.drop);
  if (!own) return own.error();
  setup->own.emplace(*std::move(own));
  auto control = setup->own->connect();
  if (!control) return control.error();
  setup->control = *std::move(control);
  auto done = db::execute_all(*setup->control, load->sent);
  if (!done) return done.error();
  if (request.keep) setup->own->keep();
  if (plan.product == Product::PostgreSql) {
    // Sequential scans lock whole tables at SERIALIZABLE; known sizes help.
    setup->control->execute("ANALYZE");
    plan.has_commit_times = db::has_commit_times(*setup->control);
  }
  db::LogHeader& header = setup->header;
  if (plan.product == Product::PostgreSql)
    header.settings.emplace_back("clock", db::clock_of(*setup->control));
  header.database = db::version_of(*setup->control, plan.product);
  header.dialect = name(plan.product);
  header.level = plan.isolation.level;
  header.setup = std::move(load->logged);
  return setup;
}

}  // namespace txscope::verb
