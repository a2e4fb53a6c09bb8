#include "db/record/fuzz_actor.h"

#include <algorithm>

#include "db/dialect.h"

namespace txscope::db {
namespace {

constexpr const char* kFuzzNames[] = {"ann", "ben", "cid", "dot", "eve"};

sql::Value small(Random& random, std::int64_t low, std::int64_t high) {
  return sql::Value::integer(random.between(low, high));
}

sql::Value some_name(Random& random) {
  if (random.chance(0.1)) return {};
  return sql::Value::text(kFuzzNames[random.below(5)]);
}

/// $2 before $1 would be found in $12; so from the last to the first.
std::string with_literals(std::string text,
                          const std::vector<sql::Value>& params,
                          Product product) {
  for (std::size_t n = params.size(); n > 0; --n) {
    const std::string mark = "$" + std::to_string(n);
    const std::string value = literal(params[n - 1], product);
    for (std::size_t i = 0; (i = text.find(mark, i)) != std::string::npos;
         i += value.size())
      text.replace(i, mark.size(), value);
  }
  return text;
}

LoggedValue fuzz_value(const sql::Value& value) {
  LoggedValue logged;
  logged.type = column_type(value.kind());
  if (!value.is_null()) logged.value = sql::to_string(value);
  return logged;
}

}  // namespace

std::vector<std::string> FuzzActor::setup(const KeyShape& shape) {
  std::vector<std::string> texts = {
      "CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR(20), age "
      "INTEGER)",
      "CREATE TABLE things (id INTEGER PRIMARY KEY, owner INTEGER, price "
      "INTEGER NOT NULL, CHECK (price >= 0))",
      "CREATE TABLE loans (person INTEGER NOT NULL, thing INTEGER NOT NULL, "
      "days INTEGER, PRIMARY KEY (person, thing), UNIQUE (thing))"};
  std::string people = "INSERT INTO people VALUES ";
  std::string things = "INSERT INTO things VALUES ";
  for (std::uint64_t i = 1; i <= shape.keys; ++i) {
    const std::string comma = i > 1 ? ", (" : "(";
    const std::string id = std::to_string(i);
    people += comma + id + ", '" + kFuzzNames[i % 5] + "', " +
              (i % 7 == 0 ? "NULL" : std::to_string(20 + i % 50)) + ")";
    things += comma + id + ", " +
              (i % 3 == 0 ? "NULL" : std::to_string(i % shape.keys + 1)) +
              ", " + std::to_string(i * 7 % 100) + ")";
  }
  texts.push_back(people);
  texts.push_back(things);
  texts.push_back("INSERT INTO loans VALUES (1, 1, 5)");
  return texts;
}

sql::Value FuzzActor::key(Random& random) const {
  // Some keys behind the last one: rows that come and go.
  return small(random, 1, static_cast<std::int64_t>(shape_.keys) + 5);
}

FuzzActor::Draft FuzzActor::read(Random& random) const {
  const sql::Value a = key(random);
  const sql::Value b = key(random);
  switch (random.below(12)) {
    case 0: return {"SELECT id, name, age FROM people WHERE id = $1", {a}};
    case 1:
      return {
          "SELECT id, price FROM things WHERE id BETWEEN $1 AND $2 ORDER "
          "BY price DESC, id",
          {std::min(a, b), std::max(a, b)}};
    case 2:
      return {
          "SELECT count(*), sum(price), min(price), max(price) FROM things "
          "WHERE owner = $1",
          {a}};
    case 3:
      return {
          "SELECT p.id, t.id, t.price FROM people p JOIN things t ON "
          "t.owner = p.id WHERE p.name = $1 AND t.price > $2",
          {some_name(random), small(random, 0, 100)}};
    case 4: return {"SELECT id FROM people WHERE age IS NULL ORDER BY id", {}};
    case 5:
      return {
          "SELECT name, count(*), sum(age) FROM people GROUP BY name "
          "HAVING count(*) > $1 ORDER BY name",
          {small(random, 0, 30)}};
    case 6:
      return {
          "SELECT id FROM people p WHERE EXISTS (SELECT 1 FROM loans l "
          "WHERE l.person = p.id AND l.days > $1) ORDER BY id",
          {small(random, 0, 10)}};
    case 7:
      return {
          "SELECT id, coalesce(owner, 0) FROM things WHERE price < $1 "
          "ORDER BY id LIMIT 5",
          {small(random, 0, 100)}};
    case 8:
      return {
          "SELECT p.id, l.thing FROM people p LEFT JOIN loans l ON "
          "l.person = p.id WHERE p.id IN ($1, $2)",
          {a, b}};
    case 9:
      return {"SELECT DISTINCT age FROM people WHERE id > $1 AND age < $2",
              {a, small(random, 20, 70)}};
    case 10:
      return {
          "SELECT id, CASE WHEN price > $1 THEN 'dear' ELSE 'cheap' END "
          "FROM things WHERE id = $2",
          {small(random, 0, 100), a}};
    default:
      return {
          "SELECT id, price FROM things WHERE price = (SELECT max(price) "
          "FROM things WHERE id <= $1)",
          {a}};
  }
}

FuzzActor::Draft FuzzActor::write(Random& random) const {
  const sql::Value a = key(random);
  const sql::Value b = key(random);
  const auto made = [](std::string sql, std::vector<sql::Value> params) {
    return Draft{std::move(sql), std::move(params), false};
  };
  switch (random.below(12)) {
    case 0: return made("UPDATE people SET age = age + 1 WHERE id = $1", {a});
    case 1:
      return made("UPDATE people SET name = $1 WHERE id = $2",
                  {some_name(random), a});
    case 2:
      return made("UPDATE things SET price = price - $1 WHERE id = $2",
                  {small(random, 1, 20), a});
    case 3:
      return made("UPDATE things SET owner = $1 WHERE owner = $2", {a, b});
    case 4:
      return made("UPDATE things SET price = price + $1 WHERE price < $2",
                  {small(random, 1, 5), small(random, 0, 10)});
    case 5:
      return made("INSERT INTO people VALUES ($1, $2, $3)",
                  {a, some_name(random), small(random, 20, 70)});
    case 6: return made("DELETE FROM people WHERE id = $1", {a});
    case 7:
      return made("INSERT INTO loans VALUES ($1, $2, $3)",
                  {a, b, small(random, 0, 10)});
    case 8: return made("DELETE FROM loans WHERE thing = $1", {b});
    case 9:
      return made("INSERT INTO things VALUES ($1, $2, $3)",
                  {a, b, small(random, 0, 100)});
    case 10:
      return made("DELETE FROM things WHERE price > $1 AND id > $2",
                  {small(random, 90, 120), a});
    default:
      return made(
          "UPDATE loans SET days = days + 1 WHERE person IN (SELECT id "
          "FROM people WHERE age > $1)",
          {small(random, 40, 70)});
  }
}

FuzzActor::Draft FuzzActor::draft(Random& random) const {
  return random.chance(shape_.reads) ? read(random) : write(random);
}

bool FuzzActor::choose(Random& random) {
  drafts_.clear();
  const auto count = static_cast<std::size_t>(
      random.between(static_cast<std::int64_t>(shape_.min_operations),
                     static_cast<std::int64_t>(shape_.max_operations)));
  for (std::size_t i = 0; i < count; ++i) drafts_.push_back(draft(random));
  rolls_back_ = random.chance(0.05);
  restart();
  return true;
}

ActorStep FuzzActor::next() {
  ActorStep step;
  if (next_ == drafts_.size()) {
    if (rolls_back_) step.kind = ActorStep::Kind::Rollback;
    return step;
  }
  const Draft& draft = drafts_[next_++];
  step.kind = ActorStep::Kind::Statement;
  step.sent = with_literals(draft.sql, draft.params, product_);
  step.logged.sql = draft.sql;
  for (const sql::Value& value : draft.params)
    step.logged.params.push_back(fuzz_value(value));
  step.logged.has_count = !draft.is_select;
  return step;
}

}  // namespace txscope::db
