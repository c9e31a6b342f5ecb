#!/usr/bin/env bash
# Runs a command in which programs for AArch64 run, by qemu-user:
#
#   scripts/aarch64/run.sh COMMAND...            on this machine
#   scripts/aarch64/run.sh --inside COMMAND...   in build/roots/aarch64, with this checkout at its path
#
# QEMU_CPU chooses the processor, such as neoverse-n1 or max; programs inherit it. Needs Linux 6.7 or later, which lets
# each user namespace register an emulator, or one that knows AArch64 programs already.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$(realpath build/roots/aarch64)
qemu=$(command -v qemu-aarch64-static) || { echo "run: scripts/setup.sh aarch64 installs the emulator" >&2; exit 1; }

inside=
if [ "${1:-}" = --inside ]; then
  inside=$root
  shift
fi

# Linux passes programs with the header of ELF files for AArch64 to the emulator, which it has opened at registration (F).
export magic='\x7f\x45\x4c\x46\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
export mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'

# Runs in the namespaces, with the rights of root in them.
enter='
  inside=$1 qemu=$2
  shift 2
  mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
  if ! grep -qs aarch64 /proc/sys/fs/binfmt_misc/*aarch64*; then
    echo ":aarch64:M::$magic:$mask:$qemu:F" >/proc/sys/fs/binfmt_misc/register
  fi
  unset magic mask
  [ "$inside" ] || exec "$@"
  for folder in dev proc sys; do
    mount --rbind "/$folder" "$inside/$folder"
  done
  mount -t tmpfs none "$inside/tmp"
  mkdir -p "$inside$PWD"
  mount --rbind "$PWD" "$inside$PWD"
  exec env -u LD_LIBRARY_PATH PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin HOME=/tmp TMPDIR=/tmp \
    chroot "$inside" bash -c "cd \"\$0\" && exec \"\$@\"" "$PWD" "$@"'
enter=(bash -euc "$enter" run "$inside" "$qemu" "$@")

if [ "$(id -u)" -ne 0 ]; then
  exec unshare --user --map-root-user --mount "${enter[@]}"
fi
# The namespace has all users, which tests of foreign files need. A process outside must say so.
own=$(readlink /proc/self/ns/user)
(
  until users=$(readlink "/proc/$$/ns/user") && [ "$users" != "$own" ]; do sleep 0.01; done
  echo "0 0 4294967295" >"/proc/$$/gid_map"
  echo "0 0 4294967295" >"/proc/$$/uid_map"
) &
exec unshare --user --mount bash -c 'until [ "$(id -u)" -eq 0 ]; do sleep 0.01; done; exec "$@"' run "${enter[@]}"
