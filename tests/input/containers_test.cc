#include "shardstats/input/containers.h"

#include <gtest/gtest.h>

namespace shardstats {
namespace {

using namespace std::string_view_literals;

TEST(Containers, AreToldByTheirFirstBytes) {
  const auto unpack = [](std::string_view bytes) {
    const OtherContainer* other = other_container(bytes);
    return other == nullptr ? "" : other->unpack;
  };
  EXPECT_EQ(unpack("PK\x03\x04\x14\x00"sv), "unzip -p");
  EXPECT_EQ(unpack("\x04\x22\x4d\x18\x64"sv), "lz4 -dc");
  EXPECT_EQ(unpack("PK"), "");
  EXPECT_EQ(unpack("\x1f\x8b\x08\x00"sv), "");  // gzip is read
}

// "INFO:x:# --- Planner Statistics ---" behind so many blanks, in base64.
TEST(Containers, OfTextAreToldByTheTitle) {
  for (const char* log :
       {"SU5GTzp4OiMgLS0tIFBsYW5uZXIgU3RhdGlzdGljcyAtLS0K",
        "IElORk86eDojIC0tLSBQbGFubmVyIFN0YXRpc3RpY3MgLS0tCg==", "ICBJTkZPOng6IyAtLS0gUGxhbm5lciBTdGF0aXN0aWNzIC0tLQo=",
        "Subject: x\n\nSU5GTzp4OiMgLS0tIFBsYW5u\r\nZXIgU3RhdGlzdGljcyAtLS0K\r\n"})
    EXPECT_NE(hint_for_text(log).find("base64 -d"), std::string_view::npos) << log;
  EXPECT_NE(hint_for_text("x = 'JTIzJTIwLS0tJTIwUGxhbm5lciUyMFN0YXRpc3RpY3MlMjAtLS0='").find(".ipynb"),
            std::string_view::npos);
  EXPECT_EQ(hint_for_text("SU5GTzp4OiBzdGVwIDE6IGxvc3MgMC41Cg=="), "");
}

TEST(Containers, OfJournalsAreToldByWhatTheyLeaveOut) {
  for (const char* log : {R"({"_PID":"7","MESSAGE":[27,91,51,50,109]})", R"({"MESSAGE" : [27, 91]})"})
    EXPECT_NE(hint_for_text(log).find("journalctl -o cat"), std::string_view::npos) << log;
  for (const char* log : {"Mar 04 09:31:07 gpu python3[7]: [33.9K blob data]", "gpu python3[7]: [90B blob data]\n"})
    EXPECT_NE(hint_for_text(log).find("journalctl -a"), std::string_view::npos) << log;
  for (const char* log : {"", "step 1: loss 0.5", R"({"MESSAGE":"[27,91]"})", R"({"MESSAGE":[]})", "blob data [7]"})
    EXPECT_EQ(hint_for_text(log), "") << log;
}

}  // namespace
}  // namespace shardstats
