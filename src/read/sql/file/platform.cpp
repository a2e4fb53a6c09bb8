// Tables that a platform brings, and that the files of its users name.

#include <algorithm>

#include "base/ascii.h"
#include "read/sql/file/reader.h"

namespace txscope::sql {
namespace {

/// Supabase's, with the columns that its documentation names.
constexpr std::string_view kUsers = "auth.users";
constexpr std::string_view kCreateUsers =
    "CREATE TABLE auth.users ("
    "instance_id uuid, id uuid PRIMARY KEY, aud varchar(255), "
    "role varchar(255), email varchar(255), encrypted_password varchar(255), "
    "email_confirmed_at timestamptz, invited_at timestamptz, "
    "confirmation_sent_at timestamptz, recovery_sent_at timestamptz, "
    "last_sign_in_at timestamptz, raw_app_meta_data jsonb, "
    "raw_user_meta_data jsonb, is_super_admin boolean, created_at timestamptz, "
    "updated_at timestamptz, phone text UNIQUE, "
    "phone_confirmed_at timestamptz, confirmed_at timestamptz, "
    "banned_until timestamptz, is_sso_user boolean NOT NULL DEFAULT false, "
    "deleted_at timestamptz, is_anonymous boolean NOT NULL DEFAULT false)";

/// Whether the tokens have TABLE [IF NOT EXISTS] auth.users.
bool creates_users(const std::vector<Token>& tokens) {
  for (std::size_t i = 3; i < tokens.size(); ++i)
    if (tokens[i].is("users") && tokens[i - 1].is(".") &&
        tokens[i - 2].is("auth") &&
        (tokens[i - 3].is("table") || tokens[i - 3].is("exists")))
      return true;
  return false;
}

bool names_users(std::string_view text) {
  return ascii::lower(text).find(kUsers) != std::string::npos;
}

}  // namespace

/// auth.users, if the file names it and does not create it: then it is there.
void FileReader::add_platform() {
  if (source_.mysql() != nullptr || !names_users(source_.text()) ||
      creates_users(tokens_.list))
    return;
  const std::uint32_t at =
      source_.append(std::string(kCreateUsers), source_.span(0, 0));
  const Tokens tokens = scan(source_, kCreateUsers, at);
  catalog_.schemas.insert("auth");
  attempt([&] {
    statement_at(source_.span(at, kCreateUsers.size()), tokens.list);
  });
  platform_users_ = catalog_.table(catalog_.relation("auth", "users"));
  catalog_.assumed.insert("auth.users is Supabase's table of users");
}

/// Rows of a file that has no users came with users that are elsewhere: nobody
/// can look for them here.
void FileReader::settle_platform_keys() {
  if (!platform_users_) return;
  const auto fills = [&](TableId table) {
    return std::any_of(
        application_.setup.begin(), application_.setup.end(),
        [table](const DbStatement& statement) {
          const auto* insert = std::get_if<Insert>(&statement.what);
          return insert != nullptr && insert->target.table == table;
        });
  };
  if (fills(*platform_users_)) return;
  for (std::size_t t = 0; t < catalog_.schema.tables.size(); ++t) {
    if (!fills(TableId(t))) continue;
    std::erase_if(catalog_.schema.tables[t].foreign,
                  [&](const ForeignKey& key) {
                    const bool is_theirs = key.parent == *platform_users_;
                    if (is_theirs) catalog_.outside.insert("auth.users");
                    return is_theirs;
                  });
  }
}

}  // namespace txscope::sql
