import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { planMemory, readAvailableMemory, readConfig, readOpenFileLimit, VERSION } from './config.ts'

describe('reading settings', () => {
  it('prefers a flag to its variable, and both to the default', () => {
    const env = { TOUCHSTONE_PORT: '4000', TOUCHSTONE_HOST: '::1' }
    expect(readConfig(['--port', '5000'], env)).toMatchObject({ port: 5000, host: '::1', roles: ['api', 'worker'] })
    expect(readConfig(['--port=0', '--roles=worker'], {})).toMatchObject({ port: 0, roles: ['worker'] })
  })

  it.each([
    ['20971520', 20971520],
    ['20MB', 20 << 20],
    ['512 KiB', 512 << 10],
    ['1g', 1 << 30],
  ])('reads the size %s', (text, size) => {
    expect(readConfig([], { TOUCHSTONE_MAX_PART_BYTES: text }).ingest.maxPartBytes).toBe(size)
  })

  it('trusts listed proxies, none by default, and refuses invalid addresses', () => {
    const read = (text: string) => readConfig([], { TOUCHSTONE_TRUSTED_PROXIES: text }).trustedProxies
    expect(read('')).toEqual([])
    expect(read('127.0.0.1, 10.0.0.0/8,::1')).toEqual(['127.0.0.1', '10.0.0.0/8', '::1'])
    for (const wrong of ['true', 'proxy.internal', '10.0.0.0/33', '127.0.0.1,']) {
      expect(() => read(wrong)).toThrow(/TOUCHSTONE_TRUSTED_PROXIES must be/)
    }
  })

  it('names every mistake at once', () => {
    const read = () =>
      readConfig(['--port', 'abc', '--verbose', 'x', '--create-key'], {
        TOUCHSTONE_POSTGRES_URL: 'mysql://x',
        TOUCHSTONE_MAX_BODY_BYTES: '-1',
      })
    for (const part of [
      /--port must be/,
      /--verbose is not known/,
      /"x" is not a flag/,
      /--create-key needs a value/,
    ]) {
      expect(read).toThrow(part)
    }
    expect(read).toThrow(/TOUCHSTONE_POSTGRES_URL must be a URL/)
    expect(read).toThrow(/TOUCHSTONE_MAX_BODY_BYTES must be a size/)
  })
})

const MiB = 1024 * 1024

describe('the division of memory', () => {
  it.each([512, 700, 1024, 2048, 8192, 65_536])(
    'of %d MB keeps every body within what may be in flight',
    (megabytes) => {
      const plan = planMemory(megabytes * MiB)
      expect(plan.bodyBytes).toBeLessThanOrEqual(plan.bytesInFlight)
      expect(plan.bytesInFlight).toBeGreaterThanOrEqual(8 * MiB)
      expect(plan.analyticsBytes).toBeLessThan(plan.availableBytes)
    },
  )

  it('keeps the earlier budgets for a machine with 8 GB', () => {
    expect(planMemory(8192 * MiB)).toMatchObject({
      bytesInFlight: 256 * MiB,
      waitingBytes: 256 * MiB,
      bodyBytes: 100 * MiB,
      groupBytes: 16 * MiB,
      groupRows: 3_000,
      relationalBufferBytes: 16 * MiB,
    })
  })

  it('makes blocks of few runs with little memory', () => {
    expect(planMemory(512 * MiB).groupRows).toBe(256)
    expect(planMemory(2048 * MiB).groupRows).toBe(1_024)
  })

  it('gives the stores little of little memory, because an idle server needs half of it', () => {
    expect(planMemory(512 * MiB)).toMatchObject({
      relationalBufferBytes: 8 * MiB,
      recentRunBytes: 4 * MiB,
      analyticsBytes: 85 * MiB,
    })
  })

  it('reads the memory that this process may use', () => {
    expect(readAvailableMemory()).toBeGreaterThan(100 * MiB)
  })
})

it('connections get at most half of the open files, whatever the setting is', () => {
  const half = Math.floor(readOpenFileLimit() / 2)
  const read = (count: string) => readConfig([], { TOUCHSTONE_MAX_CONNECTIONS: count }).connections.maxConnections
  expect(half).toBeGreaterThan(0)
  expect(read('1')).toBe(1)
  expect(read('1000000')).toBe(Math.min(1_000_000, half))
})

it('the version of the program is that of its package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  expect(VERSION).toBe(version)
})
