# shellcheck shell=bash disable=SC2034 # What it sets is used where it is sourced.
# What the scripts share. Sourced, never run: it sets `root` and defines functions.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PATH=$PATH:/opt/swift/usr/bin

build_packages=(libcurl4-openssl-dev libssl-dev pkg-config)
# The folder with nothing but the static C++ library; see link_cxx_statically.
static_folder=$root/.build/static
# One stripped file without the parts of the Swift library that it does not use: 8.9 MB.
# Without a run path: looking for each library beside the program first costs a tenth of the start-up. With the C++
# library that Swift's runtime needs inside: loading it and its 1,600 symbols cost 1 ms, a tenth of a small download.
release_flags=(
    -c release --static-swift-stdlib --disable-local-rpath
    -Xlinker --gc-sections -Xlinker -s -Xlinker --no-export-dynamic
    -Xswiftc -L"$static_folder" -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
)

say() { printf '%s\n' "$*" >&2; }

die() {
    say "${0##*/}: $*"
    exit 1
}

require_swift() {
    command -v swift >/dev/null || die "Swift 6 is missing; https://www.swift.org/install has it."
}

# run_logged LOG COMMAND...: COMMAND's output goes to LOG, and to standard error where it fails.
run_logged() {
    local log=$1
    shift
    mkdir -p "$(dirname "$log")"
    "$@" >"$log" 2>&1 </dev/null && return
    local status=$?
    tail -n 60 "$log" >&2
    say "${0##*/}: '$1' failed (status $status); all it said is in $log"
    return "$status"
}

# install_packages NAME...: installs the Debian packages that are missing, as root; otherwise says what to type.
install_packages() {
    # On another system the build itself names what it lacks.
    command -v dpkg-query >/dev/null || return 0
    local name missing=()
    for name; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || missing+=("$name")
    done
    ((${#missing[@]})) || return 0
    ((EUID == 0)) || die "packages are missing; install them with: sudo apt-get install ${missing[*]}"
    say "Installing ${missing[*]} …"
    run_logged "$root/.build/apt.log" apt_install "${missing[@]}"
}

# A fresh machine has no package lists, an old one has stale ones: both show as a failure, and an update mends both.
apt_install() (
    export DEBIAN_FRONTEND=noninteractive
    # Debian starts a server as soon as it is installed, unless this file forbids it.
    policy=/usr/sbin/policy-rc.d
    if [[ ! -e $policy ]]; then
        trap 'rm -f "$policy"' EXIT
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 755 "$policy"
    fi
    apt-get install -y --no-install-recommends "$@" || {
        apt-get update && apt-get install -y --no-install-recommends "$@"
    }
)

# Swift names the C++ library itself (-lstdc++), and linkers take the shared one where both lie in one folder. Where
# there is no static one, the folder stays empty, and the program needs the shared one.
link_cxx_statically() {
    local library
    mkdir -p "$static_folder"
    # It answers with the bare name where it finds none.
    if library=$(clang -print-file-name=libstdc++.a) && [[ $library == /* ]]; then
        ln -sf "$library" "$static_folder/"
    fi
}

# build_release PRODUCT [FOLDER...]: builds .build/release/PRODUCT where it is missing or older than Package.swift, this file or
# anything in Sources and the FOLDERs (relative to the root).
build_release() {
    local product=$1 binary=$root/.build/release/$1 stamp=$root/.build/$1.built
    shift
    # Folders are compared too: a file that was removed changes only its folder.
    if [[ -x $binary && -e $stamp ]] &&
        [[ -z $(cd "$root" && find Package.swift scripts/lib.sh Sources "$@" -newer "$stamp" -print -quit) ]]; then
        return
    fi
    require_swift
    say "Building $product …"
    mkdir -p "$root/.build"
    # Dated from before the build, so that what is edited meanwhile is built the next time.
    touch "$stamp.new"
    link_cxx_statically
    run_logged "$root/.build/$product-build.log" \
        swift build --package-path "$root" "${release_flags[@]}" --product "$product"
    # The linker writes through a mapping, which leaves single pages in the page cache. Of a copy the kernel maps many at
    # once: each start took 1 ms less, until the cache was dropped.
    cp "$binary" "$binary.copy"
    mv "$binary.copy" "$binary"
    mv "$stamp.new" "$stamp"
}
