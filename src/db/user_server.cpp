#include "db/user_server.h"

#include "db/own_database.h"

namespace txscope::db {
namespace {

class UserServer final : public Server {
 public:
  explicit UserServer(const Address& address)
      : database_(Database::of(address)), host_(address.shown()) {}

  Result<Done> open(const std::string& name) {
    auto own = OwnDatabase::make(database_, name, true);
    if (!own) return own.error();
    own_ = std::make_unique<OwnDatabase>(*std::move(own));
    auto control = connect("");
    if (!control) return control.error();
    watch_ = make_watch(database_.product(), *std::move(control));
    return Done{};
  }

  ~UserServer() override { watch_.reset(); }

  [[nodiscard]] const std::string& host() const override { return host_; }
  Result<std::unique_ptr<Session>> connect(
      const std::string& database) override {
    return database.empty() ? own_->connect() : database_.connect(database);
  }

 private:
  Database database_;
  std::string host_;
  std::unique_ptr<OwnDatabase> own_;
};

}  // namespace

Result<std::unique_ptr<Server>> open_user_server(const Address& address,
                                                 const std::string& database) {
  auto server = std::make_unique<UserServer>(address);
  if (auto ok = server->open(database); !ok) return ok.error();
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace txscope::db
