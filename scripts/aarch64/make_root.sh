#!/usr/bin/env bash
# Unpacks an AArch64 Debian in build/roots/aarch64: the libraries that cross builds link (cmake/Aarch64.cmake), Python and
# the programs that tests run. Needs apt-get, whose sources must have LLVM 22 for arm64. Installs nothing on this machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD/build/roots/aarch64
apt=$root/var/apt

packages=(
  libc6-dev linux-libc-dev libstdc++-12-dev llvm-22-dev libclang-22-dev libsleef3 libgtest-dev zlib1g-dev libzstd-dev
  python3-dev python3-venv base-files bash binutils coreutils dash findutils git grep netbase procps sed tzdata
)

# Of Debian 13, only headers: the wheel for Python 3.12 and later needs them, and Debian 12 has those of 3.11.
newer_headers=libpython3.13-dev

# include is not Debian's. Clang finds headers by lib/gcc/../../include, a path that Ninja shortens to include.
for folder in bin sbin lib include; do
  mkdir -p "$root/usr/$folder"
  [ -L "$root/$folder" ] || ln -s "usr/$folder" "$root/$folder"
done

# The stamp names the packages, so that a longer list unpacks the root again.
stamp=$root/.packages
if [ "$(cat "$stamp" 2>/dev/null)" = "${packages[*]} $newer_headers" ]; then
  exit 0
fi

# This machine's sources, with lists, archives and a package database of the root.
run_apt() {
  apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Install-Recommends=false \
    -o Dir::State::status=/dev/null -o Dir::State::lists="$apt/lists" -o Dir::Cache::archives="$apt/archives" \
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Debug::NoLocking=1 "$@"
}

unpack_packages() {
  local package
  for package in "$apt"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar x -C "$root" --keep-directory-symlink
  done
}

unpack_newer_headers() {
  mkdir -p "$apt"/lists13/partial
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main" \
    >"$apt/debian13.list"
  local options=(-o Dir::Etc::sourcelist="$apt/debian13.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$apt/lists13")
  run_apt "${options[@]}" update >"$apt/update13.log"
  (cd "$apt" && run_apt "${options[@]}" download "$newer_headers" >download13.log)
  dpkg-deb --fsys-tarfile "$apt/$newer_headers"_*.deb | tar x -C "$root" --keep-directory-symlink ./usr/include
}

# Absolute links would lead to this machine's files.
make_links_relative() {
  local link
  find "$root/" -xdev -lname '/*' -print0 |
    while IFS= read -r -d '' link; do
      ln -srfn "$root$(readlink "$link")" "$link"
    done
}

# Stands in for the packages' scripts, which nothing runs.
configure() {
  mkdir -p "$root"/{dev,proc,sys,tmp,root,heddle}
  echo "root:x:0:0:root:/root:/bin/bash" >"$root/etc/passwd"
  echo "root:x:0:" >"$root/etc/group"
  echo "127.0.0.1 localhost" >"$root/etc/hosts"
}

command -v apt-get >/dev/null || { echo "make_root: this needs a Debian with apt-get" >&2; exit 1; }
mkdir -p "$apt"/lists/partial "$apt"/archives/partial
echo "make_root: unpacking ${#packages[@]} arm64 packages and what they need in $root"
run_apt update >"$apt/update.log"
run_apt -y install --download-only "${packages[@]}" >"$apt/download.log"
unpack_packages
unpack_newer_headers
make_links_relative
configure
rm -r "$apt"/{archives,lists13,"$newer_headers"_*.deb}
echo "${packages[*]} $newer_headers" >"$stamp"
