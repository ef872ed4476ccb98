# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # the lists are for the scripts that source this
# What app/run and tests/run share: packages, configuration, compilation.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(
    gcc libc6-dev pkg-config meson ninja-build gettext
    libglib2.0-dev libjson-glib-dev libsqlite3-dev libopenblas-dev libcairo2-dev libpango1.0-dev libgif-dev
    libgtk-4-dev
)
desktop_packages=(adwaita-icon-theme librsvg2-common fonts-cantarell fonts-dejavu-core at-spi2-core)
test_packages=("${desktop_packages[@]}" xvfb dbus python3)

# Tests that need one of these are skipped without it; they are installed where the release has them,
# the large ones for `tests/run --all`.
optional_test_packages=(python3-numpy clang-format-14 desktop-file-utils appstream groff-base locales
    poppler-utils xdotool libxtst-dev python3-gi gir1.2-atspi-2.0)
long_test_packages=(python3-torch python3-pandas texlive-latex-extra texlive-pictures clang libclang-rt-dev
    slurm-wlm munge)

say() {
    printf '%s\n' "$*" >&2
}

die() {
    say "$*"
    exit 1
}

# try NAME COMMAND...: runs it with its output in a log; where it fails, shows the log's end and says so.
try() {
    local name=$1 log status=0
    shift
    log=$(mktemp "${TMPDIR:-/tmp}/normscope-XXXXXX.log") || die "$name: cannot write a log."
    if [[ -t 2 ]]; then printf '%s ...' "$name" >&2; fi
    "$@" >"$log" 2>&1 </dev/null || status=$?
    if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi
    if ((status != 0)); then
        tail -n 40 "$log" >&2
        say "Step failed: $name (exit status $status; the whole log is in $log)."
        return 1
    fi
    rm -f "$log"
}

# The same, and nothing goes on after a failure.
step() {
    try "$@" || exit 1
}

installed() {
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

available() {
    [[ $(LC_ALL=C apt-cache policy "$1" 2>/dev/null) == *Candidate:\ [0-9]* ]]
}

# missing PACKAGE...: prints those that are not installed.
missing() {
    local package
    for package in "$@"; do
        installed "$package" || printf '%s\n' "$package"
    done
}

as_root() {
    if ((EUID == 0)); then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

# Asks for the password, where one is needed, before output goes to a log.
need_root() {
    ((EUID == 0)) && return
    local command="apt-get update && apt-get install --no-install-recommends $*"
    command -v sudo >/dev/null || die "Packages are missing and there is no sudo; as root, run: $command"
    sudo -n true 2>/dev/null && return
    [[ -t 0 ]] || die "Packages are missing and sudo asks for a password; as root, run: $command"
    say "Installing $*"
    sudo -v || die "Packages are missing and sudo was refused; as root, run: $command"
}

apt_install() {
    as_root apt-get -q -y --no-install-recommends install "$@"
}

# install_each PACKAGE...: together, or where that fails one by one: a package that cannot be configured
# does not stop the others.  apt-get then fails for these as well, so what is installed counts.
install_each() {
    local package
    try "Installing $# packages and what they need" apt_install "$@" && return
    for package in $(missing "$@"); do
        try "Installing $package" apt_install "$package" || true
    done
}

# Whether this run installed something, so that meson must look again for what it did not find before.
packages_changed=false

# install_packages REQUIRED... -- OPTIONAL...: what is there already costs neither time nor network.
install_packages() {
    local required=() wanted optional=() package
    while [[ $# -gt 0 && $1 != -- ]]; do
        required+=("$1")
        shift
    done
    shift || true
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "This is not Debian; if a step fails, install the equivalents of: ${required[*]}"
        return
    fi
    mapfile -t wanted < <(missing "${required[@]}")
    if ((${#wanted[@]} > 0)); then
        need_root "${wanted[@]}"
        step "Reading the package lists" as_root apt-get -q update
        install_each "${wanted[@]}"
        mapfile -t wanted < <(missing "${wanted[@]}")
        ((${#wanted[@]} == 0)) ||
            die "These packages could not be installed: ${wanted[*]}; as root, run: dpkg --configure -a &&" \
                "apt-get install ${wanted[*]}"
        packages_changed=true
    elif ((EUID != 0)) && ! sudo -n true 2>/dev/null; then
        return # what is optional is no reason to ask for a password
    fi
    for package in $(missing "$@"); do
        if available "$package"; then optional+=("$package"); fi
    done
    if ((${#optional[@]} > 0)); then
        install_each "${optional[@]}"
        mapfile -t optional < <(missing "${optional[@]}")
        ((${#optional[@]} == 0)) ||
            say "Continuing without ${optional[*]}; the tests that need them are skipped."
        packages_changed=true
    fi
}

# configure FOLDER OPTION...: where that was not done yet, or where packages have come since.
configure() {
    local folder=$1 name
    name=$(basename "$folder")
    shift
    if [[ ! -f $folder/build.ninja ]]; then
        step "Configuring $name/" meson setup "$@" "$folder" "$root"
    elif $packages_changed; then
        step "Configuring $name/ again" meson setup --reconfigure "$folder" "$root"
    fi
}

# compile FOLDER TARGET...: what changed.
compile() {
    local folder=$1
    shift
    step "Compiling in $(basename "$folder")/" ninja -C "$folder" "$@"
}
