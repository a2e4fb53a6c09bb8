#include "engine/explore_profile.h"

namespace txscope::engine {

Result<ProfileResult> explore_profile(const sql::Application& application,
                                      const Profile& profile,
                                      const ProfileOptions&, const Budget&) {
  ProfileResult result;
  result.profile = &profile;
  for (std::uint32_t p = 0; p < application.properties.size(); ++p) {
    result.properties.emplace_back();
    result.properties.back().property = p;
  }
  return result;
}

}  // namespace txscope::engine
