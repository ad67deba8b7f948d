#!/usr/bin/env bash
# Installs, builds, checks and tests. Needs Node and git, nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."
npm ci --no-audit --no-fund
npm run build
npm run check
npm test
