import { describe, expect, it } from 'vitest'
import { type Lookup, resolveAllowed } from './allowed-targets.ts'

const finds =
  (...addresses: readonly string[]): Lookup =>
  (_name, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    )

describe('a host of another protocol', () => {
  it('is resolved to an address on the public internet', async () => {
    expect(await resolveAllowed([], 'mail.example', finds('93.184.216.34'))).toBe('93.184.216.34')
    expect(await resolveAllowed([], '93.184.216.34')).toBe('93.184.216.34')
  })

  it('is refused on private addresses, unless they are allowed', async () => {
    const isRefused = { kind: 'refused', message: expect.stringContaining('TOUCHSTONE_OUTBOUND_ALLOW') }
    await expect(resolveAllowed([], '127.0.0.1')).rejects.toMatchObject(isRefused)
    await expect(resolveAllowed([], 'mail.test', finds('10.0.0.9'))).rejects.toMatchObject(isRefused)
    await expect(resolveAllowed([], 'mail.test', finds('93.184.216.34', '10.0.0.9'))).rejects.toMatchObject(isRefused)
    expect(await resolveAllowed(['10.0.0.0/8'], 'mail.test', finds('10.0.0.9'))).toBe('10.0.0.9')
    expect(await resolveAllowed(['mail.test'], 'mail.test', finds('10.0.0.9'))).toBe('10.0.0.9')
  })

  it('fails when it has no address', async () => {
    const lookup: Lookup = (_name, _options, done) => done(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), [])
    await expect(resolveAllowed([], 'none.test', lookup)).rejects.toMatchObject({ kind: 'failed', reason: 'dns' })
  })
})
