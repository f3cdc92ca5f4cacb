import { describe, expect, it } from 'vitest'
import { describeMissingEngine } from './load-chdb.ts'

describe('an embedded column store that cannot be loaded', () => {
  it.each([
    [
      'win32',
      'x64',
      /no build for Windows\. Run Touchstone in WSL2, or use a ClickHouse server: TOUCHSTONE_CLICKHOUSE_URL/,
    ],
    ['freebsd', 'x64', /no build for freebsd on x64\. Run Touchstone on Linux or macOS, or use a ClickHouse server/],
    [
      'darwin',
      'arm64',
      /cannot be loaded: no binding\. Install .*`npm install --no-save @chdb\/lib-darwin-arm64@\d\S+`/,
    ],
    ['linux', 'arm64', /`npm install --no-save @chdb\/lib-linux-arm64-gnu@\d\S+` \(on Linux it needs glibc/],
  ])('is explained on %s %s', (platform, arch, text) => {
    expect(describeMissingEngine(platform, arch, 'no binding\n    at load (x.js:1)')).toMatch(text)
  })
})
