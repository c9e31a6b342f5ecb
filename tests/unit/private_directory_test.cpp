// Directories with code: any part of the path that other users could change is rejected.
#include "support/os/private_directory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace heddle::os::test {
namespace {

constexpr uid_t another = 12345;

class PrivateDirectories : public testing::Test {
protected:
  void SetUp() override {
    char pattern[] = "/tmp/heddle-private-XXXXXX";
    root = mkdtemp(pattern);
    kernels = root + "/outer/kernels";
    fs::create_directories(kernels);
    PrivateDirectory(kernels, IfMissing::Fail).replace("a", "code");
  }
  void TearDown() override { fs::remove_all(root); }

  using IfMissing = PrivateDirectory::IfMissing;
  /// The problem reported by opening the directory or by reading "a".
  std::string problem(const std::string &path) const {
    PrivateDirectory directory(path, IfMissing::Fail);
    if (directory)
      directory.read("a");
    return directory.problem();
  }
  std::string problem() const { return problem(kernels); }
  bool isRoot() const { return geteuid() == 0; }

  std::string root, kernels;
};

TEST_F(PrivateDirectories, TheUsersFilesAreRead) {
  PrivateDirectory directory(kernels, IfMissing::Fail);
  EXPECT_EQ(directory.read("a"), "code");
  EXPECT_EQ(directory.problem(), "");
}

TEST_F(PrivateDirectories, NewDirectoriesAndFilesArePrivate) {
  umask(0);
  PrivateDirectory directory(root + "/x/y", IfMissing::Create);
  umask(022);
  EXPECT_TRUE(directory.replace("a", "code"));
  struct stat s;
  for (std::string path : {"/x", "/x/y"}) {
    stat((root + path).c_str(), &s);
    EXPECT_EQ(s.st_mode & 0777, 0700u) << path;
  }
  stat((root + "/x/y/a").c_str(), &s);
  EXPECT_EQ(s.st_mode & 0777, 0600u);
}

TEST_F(PrivateDirectories, AFileThatOthersCanWriteIsNotRead) {
  for (mode_t mode : {0620, 0602, 0666}) {
    chmod((kernels + "/a").c_str(), mode);
    EXPECT_EQ(problem(), kernels + "/a can be written by other users");
  }
}

TEST_F(PrivateDirectories, AFileThatOthersCanReadIsRead) {
  chmod((kernels + "/a").c_str(), 0644);
  EXPECT_EQ(problem(), "");
}

TEST_F(PrivateDirectories, ADirectoryThatOthersCanWriteIsRejected) {
  for (mode_t mode : {0770, 0707, 0777, 01777}) {
    chmod(kernels.c_str(), mode);
    EXPECT_EQ(problem(), kernels + " can be written by other users");
  }
}

TEST_F(PrivateDirectories, AParentThatOthersCanWriteIsRejected) {
  chmod((root + "/outer").c_str(), 0777);
  EXPECT_EQ(problem(), root + "/outer can be written by other users");
}

TEST_F(PrivateDirectories, AParentWithTheStickyBitIsAccepted) {
  chmod((root + "/outer").c_str(), 01777);
  EXPECT_EQ(problem(), "");
}

TEST_F(PrivateDirectories, AnotherUsersFileIsNotRead) {
  if (!isRoot())
    GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(chown((kernels + "/a").c_str(), another, 0), 0);
  EXPECT_EQ(problem(), kernels + "/a belongs to user 12345");
}

TEST_F(PrivateDirectories, AnotherUsersDirectoryIsRejected) {
  if (!isRoot())
    GTEST_SKIP() << "only root can give directories away";
  for (std::string path : {kernels, root + "/outer", root}) {
    ASSERT_EQ(chown(path.c_str(), another, 0), 0);
    EXPECT_EQ(problem(), path + " belongs to user 12345");
  }
}

TEST_F(PrivateDirectories, RootsFilesAreReadByAnotherUser) {
  if (!isRoot())
    GTEST_SKIP() << "only root can become another user";
  for (std::string path : {root, root + "/outer", kernels})
    chmod(path.c_str(), 0755);
  chmod((kernels + "/a").c_str(), 0644);
  ASSERT_EQ(seteuid(another), 0);
  PrivateDirectory directory(kernels, IfMissing::Fail);
  std::optional<std::string> bytes = directory.read("a");
  bool writes = directory.isWritable();
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_EQ(bytes, "code");
  EXPECT_FALSE(writes);
}

TEST_F(PrivateDirectories, AFileThatIsALinkIsNotRead) {
  fs::rename(kernels + "/a", kernels + "/b");
  fs::create_symlink("b", kernels + "/a");
  EXPECT_EQ(problem(), kernels + "/a is a symbolic link");
}

TEST_F(PrivateDirectories, WritingReplacesALinkAndNotItsTarget) {
  std::ofstream(root + "/target") << "untouched";
  fs::remove(kernels + "/a");
  fs::create_symlink(root + "/target", kernels + "/a");
  EXPECT_TRUE(PrivateDirectory(kernels, IfMissing::Fail).replace("a", "code"));
  EXPECT_FALSE(fs::is_symlink(kernels + "/a"));
  EXPECT_EQ(fs::file_size(root + "/target"), 9u);
}

TEST_F(PrivateDirectories, TheUsersLinksToPrivateDirectoriesAreFollowed) {
  fs::create_symlink("outer", root + "/relative");
  fs::create_symlink(root + "/relative/kernels", root + "/absolute");
  fs::create_symlink("../relative/../outer", root + "/outer/up");
  EXPECT_TRUE(PrivateDirectory(root + "/relative/kernels", IfMissing::Fail).read("a"));
  EXPECT_TRUE(PrivateDirectory(root + "/absolute", IfMissing::Fail).read("a"));
  EXPECT_TRUE(PrivateDirectory(root + "/outer/up/kernels", IfMissing::Fail).read("a"));
}

TEST_F(PrivateDirectories, ALinkDoesNotHideADirectoryThatOthersCanWrite) {
  chmod((root + "/outer").c_str(), 0777);
  fs::create_symlink(kernels, root + "/link");
  EXPECT_EQ(problem(root + "/link"), root + "/outer can be written by other users");
}

TEST_F(PrivateDirectories, AnotherUsersLinkIsNotFollowed) {
  if (!isRoot())
    GTEST_SKIP() << "only root can give links away";
  chmod(root.c_str(), 01777);
  fs::create_symlink(kernels, root + "/link");
  ASSERT_EQ(lchown((root + "/link").c_str(), another, 0), 0);
  EXPECT_EQ(problem(root + "/link"), root + "/link belongs to user 12345");
}

TEST_F(PrivateDirectories, CyclicLinksAreAnError) {
  fs::create_symlink("two", root + "/one");
  fs::create_symlink("one", root + "/two");
  PrivateDirectory directory(root + "/one/kernels", IfMissing::Create);
  EXPECT_FALSE(directory);
  EXPECT_EQ(directory.problem(), "");
}

TEST_F(PrivateDirectories, AMissingDirectoryIsNotAProblem) {
  PrivateDirectory directory(root + "/none/kernels", IfMissing::Fail);
  EXPECT_FALSE(directory);
  EXPECT_EQ(directory.problem(), "");
}

TEST_F(PrivateDirectories, RelativePathsStartInTheWorkingDirectory) {
  fs::path before = fs::current_path();
  fs::current_path(root);
  EXPECT_TRUE(PrivateDirectory("./outer/../outer//kernels/", IfMissing::Fail).read("a"));
  fs::current_path(before);
}

} // namespace
} // namespace heddle::os::test
