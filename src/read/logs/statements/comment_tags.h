#pragma once

#include <string>

namespace txscope::logs {

/// What a comment of a statement tells of who sent it.
struct CommentTags {
  std::string request;  ///< traceparent or request_id
  std::string route;    ///< "orders#create", "/checkout", a job
  std::string source;   ///< "app/models/order.rb:12"
};

/// Reads and removes the comment with which frameworks mark their statements:
/// `/*controller='orders',action='create',traceparent='00-..'*/` (sqlcommenter;
/// keys and values are URL-encoded) or `/*application:shop,controller:orders*/`
/// (marginalia), before or behind the statement.  Other comments stay.
[[nodiscard]] CommentTags take_comment_tags(std::string& text);

}  // namespace txscope::logs
