# Sourced by the other scripts: goes to the source root and installs the Debian packages that are missing.
# SHARDSTATS_BUILD_ONLY=1 leaves out what only tests need.
# SHARDSTATS_NO_INSTALL=1 leaves the machine alone (another distribution, or the packages come from elsewhere).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

SHARDSTATS_PACKAGES=(
  g++ cmake ninja-build pkg-config ca-certificates libcli11-dev libspdlog-dev libfmt-dev libre2-dev nlohmann-json3-dev
  libtomlplusplus-dev libarchive-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev
  libutf8proc-dev libjs-chart.js
)
SHARDSTATS_TEST_PACKAGES=(
  ccache clang-14 libclang-rt-14-dev clang-format-14 python3 git libgtest-dev libgmock-dev libbenchmark-dev
  python3-jsonschema python3-markdown-it python3-yaml libxml2-utils sqlite3 jq zsh fish groff-base mandoc
  chromium chromium-driver python3-selenium
)
[[ -n ${SHARDSTATS_BUILD_ONLY:-} ]] || SHARDSTATS_PACKAGES+=("${SHARDSTATS_TEST_PACKAGES[@]}")

missing_packages() {
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${SHARDSTATS_PACKAGES[@]}" 2>/dev/null || true)
  printf '%s\n' "${SHARDSTATS_PACKAGES[@]}" | grep -vxFf <(sed -n 's/^installed //p' <<<"$installed") || true
}

install_missing() {
  [[ -z ${SHARDSTATS_NO_INSTALL:-} ]] && command -v dpkg >/dev/null || return 0
  local missing sudo=()
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  ((EUID == 0)) || sudo=(sudo)
  echo "Installing: ${missing[*]}" >&2
  "${sudo[@]}" apt-get update -qq >&2
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# build PRESET [TARGET...]: configures if need be, then builds.
build() {
  local preset=$1 folder=build
  shift
  [[ $preset == release ]] || folder=build/$preset
  [[ -f $folder/build.ninja ]] || cmake --preset "$preset" >&2
  cmake --build --preset "$preset" ${1:+--target "$@"} >&2
}

step() { printf '== %s (%d s)\n' "$1" "$SECONDS" >&2; }

install_missing
