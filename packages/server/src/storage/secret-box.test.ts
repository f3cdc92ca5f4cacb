import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../config.ts'
import { parseSecretKeys } from '../settings.ts'
import { openSecretBox, type SecretBoxConfig } from './secret-box.ts'

const aKey = () => randomBytes(32).toString('base64')
const aDataDir = () => mkdtempSync(join(tmpdir(), 'touchstone-secret-'))

function aBox({
  keys = '',
  dataDir = aDataDir(),
  ...more
}: {
  keys?: string
  dataDir?: string
  postgresUrl?: string
} = {}) {
  const secretKeys = keys === '' ? [] : (parseSecretKeys(keys) ?? [])
  const config: SecretBoxConfig = { secretKeys, dataDir, postgresUrl: undefined, ...more }
  return openSecretBox(config)
}

describe('a secret key in the data directory', () => {
  it('is made with mode 600 when it is first needed', () => {
    const dataDir = aDataDir()
    const box = aBox({ dataDir })
    expect(box.status()).toEqual({ source: 'none', currentKeyId: null })
    expect(readdirSync(dataDir)).toEqual([])
    const sealed = box.seal('owner', 'a secret')
    expect(readdirSync(dataDir)).toEqual(['secret-key'])
    expect(statSync(join(dataDir, 'secret-key')).mode & 0o777).toBe(0o600)
    expect(box.status()).toEqual({ source: 'file', currentKeyId: sealed.keyId })
    expect(aBox({ dataDir }).open('owner', sealed)).toBe('a secret')
  })

  it.each(['EPERM', 'ENOTSUP'])('is made on a file system without hard links, which answers %s', (code) => {
    const dataDir = aDataDir()
    const config = { secretKeys: [], dataDir, postgresUrl: undefined }
    const refuse = () => {
      throw Object.assign(new Error('no links here'), { code })
    }
    const sealed = openSecretBox(config, refuse).seal('owner', 'a secret')
    expect(readdirSync(dataDir)).toEqual(['secret-key'])
    expect(statSync(join(dataDir, 'secret-key')).mode & 0o777).toBe(0o600)
    expect(aBox({ dataDir }).open('owner', sealed)).toBe('a secret')
  })

  it('is closed to other users when it is not', () => {
    const dataDir = aDataDir()
    const path = join(dataDir, 'secret-key')
    writeFileSync(path, aKey())
    chmodSync(path, 0o644)
    aBox({ dataDir }).seal('owner', 'x')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('is never replaced when it cannot be read', () => {
    const dataDir = aDataDir()
    const path = join(dataDir, 'secret-key')
    writeFileSync(path, 'broken')
    expect(() => aBox({ dataDir }).seal('owner', 'x')).toThrow(/holds no secret key/)
    expect(readFileSync(path, 'utf8')).toBe('broken')
  })

  it('is not used beside PostgreSQL, where other processes would not have it', () => {
    const dataDir = aDataDir()
    const box = aBox({ dataDir, postgresUrl: 'postgres://x' })
    expect(() => box.seal('owner', 'x')).toThrow(/Set TOUCHSTONE_SECRET_KEY/)
    expect(existsSync(join(dataDir, 'secret-key'))).toBe(false)
    expect(aBox({ keys: aKey(), postgresUrl: 'postgres://x' }).seal('owner', 'x').keyId).toMatch(/^[0-9a-f]{8}$/)
  })
})

describe('an encrypted text', () => {
  const keys = `new:${aKey()},old:${aKey()}`

  it('opens for its owner only, and only unchanged', () => {
    const box = aBox({ keys })
    const sealed = box.seal('tenant a provider 1', 'a secret')
    expect(sealed.keyId).toBe('new')
    expect(sealed.sealed).not.toContain(Buffer.from('a secret').toString('base64'))
    expect(box.open('tenant a provider 1', sealed)).toBe('a secret')
    expect(() => box.open('tenant b provider 1', sealed)).toThrow(/was changed/)
    const bytes = Buffer.from(sealed.sealed, 'base64')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => box.open('tenant a provider 1', { ...sealed, sealed: changed.toString('base64') })).toThrow(
        /changed/,
      )
    }
    expect(() => box.open('tenant a provider 1', { ...sealed, sealed: '' })).toThrow(/was changed/)
    expect(box.seal('tenant a provider 1', 'a secret').sealed).not.toBe(sealed.sealed)
  })

  it('opens with an older key while the server has it', () => {
    const [current = '', old = ''] = keys.split(',')
    const sealed = aBox({ keys: old }).seal('owner', 'a secret')
    expect(aBox({ keys }).open('owner', sealed)).toBe('a secret')
    expect(aBox({ keys }).hasKey('old')).toBe(true)
    expect(aBox({ keys: current }).hasKey('old')).toBe(false)
    expect(() => aBox({ keys: current }).open('owner', sealed)).toThrow(
      'This server does not have the secret key "old".',
    )
  })
})

describe('the setting of secret keys', () => {
  it.each([
    [aKey(), 1],
    [` ${aKey()} \n`, 1],
    [`a:${aKey()},b:${aKey()}`, 2],
    [randomBytes(32).toString('base64url'), 1],
    [`a:${aKey()},a:${aKey()}`, undefined],
    [randomBytes(16).toString('base64'), undefined],
    [randomBytes(33).toString('base64'), undefined],
    ['password', undefined],
    [`${aKey()},`, undefined],
  ])('%s has %s keys', (text, count) => {
    expect(parseSecretKeys(text)?.length).toBe(count)
  })

  it('is never repeated in a message', () => {
    const read = () => readConfig([], { TOUCHSTONE_SECRET_KEY: 'my wrong secret', TOUCHSTONE_SETUP_CODE: 'too short' })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(/TOUCHSTONE_SECRET_KEY must be 32 bytes/)
    expect(read).not.toThrow(/wrong secret|too short/)
  })
})
