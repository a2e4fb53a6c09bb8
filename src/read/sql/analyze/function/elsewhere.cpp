// Functions of platforms and extensions whose values only a server knows.

#include <array>

#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

struct Identity {
  std::string_view name;
  Type type;
};
/// Supabase's schema auth: who is logged in, from settings of the session.
constexpr std::array<Identity, 4> kIdentities = {{
    {"uid", {TypeName::Uuid}},
    {"role", kText},
    {"email", kText},
    {"jwt", {TypeName::Jsonb}},
}};

}  // namespace

/// auth.uid() and the like read settings that whoever logs in makes
/// (request.jwt.claims); in a session of psql nobody has, and they are NULL.
std::optional<Expr> Functions::identity_function(const PgQuery__FuncCall& node,
                                                 std::string_view name,
                                                 Span at) {
  if (node.n_funcname != 2 || node.n_args != 0 ||
      string_of(node.funcname[0]) != "auth")
    return std::nullopt;
  for (const Identity& identity : kIdentities) {
    if (identity.name != name) continue;
    if (source().text().find("request.jwt") != std::string_view::npos) {
      source().unsupported(
          at,
          "auth." + std::string(name) + "() in a file that sets request.jwt is",
          "pass the value as a parameter");
    }
    scope_.catalog.assumed.insert("auth." + std::string(name) +
                                  "() is NULL: nobody is logged in");
    return constant({}, identity.type, at);
  }
  return std::nullopt;
}

/// What pgcrypto draws and computes.  gen_random_bytes() and gen_salt() are
/// values that never come twice; crypt() is a function that, as PostgreSQL's,
/// gives a hash back for the password that it was made of, but another one.
std::optional<Expr> Functions::password_function(const PgQuery__FuncCall& node,
                                                 std::string_view name,
                                                 Span at) {
  const auto text = [&](std::string value) {
    return constant(Value::text(std::move(value)), kText, at);
  };
  const auto number = [&](std::int64_t value) {
    return constant(Value::integer(value), kInteger, at);
  };
  const auto md5 = [&](Expr of) {
    return make_builtin(Builtin::Md5, kText, {std::move(of)}, at);
  };
  const auto left = [&](Expr of, std::int64_t count) {
    return make_builtin(Builtin::Left, kText, {std::move(of), number(count)},
                        at);
  };
  const auto fresh = [&] {
    scope_.looks_at_tables = true;
    const auto sequence = static_cast<std::int64_t>(*scope_.catalog.fresh);
    std::vector<Expr> args;
    args.push_back(constant(Value::integer(sequence), {TypeName::BigInt}, at));
    Expr uuid =
        make_builtin(Builtin::FreshUuid, {TypeName::Uuid}, std::move(args), at);
    return md5(cast(source(), std::move(uuid), kText));
  };
  if (name == "gen_random_bytes" && node.n_args == 1 && scope_.catalog.fresh) {
    const Expr count = all_.expressions.expr(node.args[0]);
    constexpr std::int64_t kMost = 1024;
    if (count.op != Op::Constant || count.value.kind() != Kind::Integer ||
        count.value.integer() < 1 || count.value.integer() > kMost) {
      source().unsupported(at, "gen_random_bytes() of a computed number is");
    }
    Expr digits = fresh();
    const std::int64_t wanted = 2 * count.value.integer();
    for (std::int64_t made = 32; made < wanted; made += 32)
      digits = all_.operators.concatenation(std::move(digits), fresh(), at);
    return make_builtin(Builtin::Decode, {TypeName::Bytea},
                        {left(std::move(digits), wanted), text("hex")}, at);
  }
  if (name == "gen_salt" && (node.n_args == 1 || node.n_args == 2) &&
      scope_.catalog.fresh) {
    return all_.operators.concatenation(text("$2a$06$"), left(fresh(), 22), at);
  }
  if (name == "crypt" && node.n_args == 2) {
    std::vector<Expr> args =
        all_.expressions.exprs(list(node.n_args, node.args));
    for (Expr& arg : args) {
      if (!converts(arg.type, kText)) return std::nullopt;
      arg = convert(source(), std::move(arg), kText);
    }
    scope_.catalog.assumed.insert(
        "crypt() makes its own hashes: hashes that were made elsewhere match "
        "no password");
    // The salt, which stands at the front of a hash, and what tells passwords
    // apart.
    return all_.operators.concatenation(left(std::move(args[1]), 29),
                                        left(md5(std::move(args[0])), 31), at);
  }
  return std::nullopt;
}

}  // namespace txscope::sql::analyzer
