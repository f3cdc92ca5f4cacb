import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

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

  it('trusts the proxies that are named, none by default, and refuses what is no address', () => {
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
