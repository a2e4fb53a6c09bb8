// Functions of platforms and extensions whose values only a server knows.

#include <algorithm>
#include <array>

#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

struct Identity {
  std::string_view name;
  Type type;
  std::string_view member;  ///< of the claims; empty: all of them
};
/// Supabase's schema auth: who is logged in, by what whoever logs in claims.
constexpr std::array<Identity, 4> kIdentities = {{
    {"uid", {TypeName::Uuid}, "sub"},
    {"role", kText, "role"},
    {"email", kText, "email"},
    {"jwt", {TypeName::Jsonb}, ""},
}};
constexpr std::string_view kClaims = "request.jwt.claims";
/// Each claim was a setting of its own in older releases.
constexpr std::string_view kOneClaim = "request.jwt.claim.";

/// Whether a text has SET [LOCAL | SESSION] of this name.
bool is_set_in(std::string_view text, std::string_view name) {
  const auto is_same = [](char a, char b) { return (a | ' ') == (b | ' '); };
  for (auto at = text.begin(); at != text.end(); ++at) {
    at = std::search(at, text.end(), name.begin(), name.end(), is_same);
    if (at == text.end()) return false;
    const std::string_view before(text.begin(), at);
    for (const std::string_view word : {"set ", "local ", "session "}) {
      if (before.size() >= word.size() &&
          std::equal(word.begin(), word.end(), before.end() - word.size(),
                     is_same))
        return true;
    }
  }
  return false;
}

}  // namespace

/// auth.uid() and the like read a setting that whoever logs in makes; in a
/// session of psql nobody has, and they are NULL.
std::optional<Expr> Functions::identity_function(const PgQuery__FuncCall& node,
                                                 std::string_view name,
                                                 Span at) {
  if (node.n_funcname != 2 || node.n_args != 0 ||
      string_of(node.funcname[0]) != "auth")
    return std::nullopt;
  for (const Identity& identity : kIdentities) {
    if (identity.name != name) continue;
    scope_.catalog.assumed.insert(
        "auth." + std::string(name) +
        "() is what a session's request.jwt.claims say, NULL without them");
    return claim(identity.member, identity.type, at);
  }
  return std::nullopt;
}

/// One of the claims of who is logged in; without a name all of them.
Expr Functions::claim(std::string_view member, const Type& type, Span at) {
  const Type json{TypeName::Jsonb};
  Expr all = cast(source(), setting(kClaims, at), json);
  if (member.empty()) return all;
  std::vector<Expr> args;
  args.push_back(std::move(all));
  args.push_back(constant(Value::text(std::string(member)), kText, at));
  Expr text = make_builtin(Builtin::JsonFieldText, kText, std::move(args), at);
  return type == kText ? text : cast(source(), std::move(text), type);
}

/// A setting of the session that nobody here sets.
Expr Functions::setting(std::string_view name, Span at) {
  if (name.starts_with(kOneClaim))
    return claim(name.substr(kOneClaim.size()), kText, at);
  const auto& known = scope_.catalog.settings;
  const bool is_new =
      std::find(known.begin(), known.end(), name) == known.end();
  if (is_new && is_set_in(source().text(), name)) {
    source().unsupported(at, "a setting of the session is",
                         "pass the value as a parameter");
  }
  std::vector<Expr> args;
  args.push_back(
      constant(Value::integer(scope_.catalog.setting(name)), kInteger, at));
  return make_builtin(Builtin::Setting, kText, std::move(args), at);
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
