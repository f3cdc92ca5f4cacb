import { describe, expect, it } from 'vitest'
import { addressOf } from './address-of.ts'

describe('where a request comes from', () => {
  it.each([
    ['203.0.113.7', undefined, '203.0.113.7'],
    ['203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['::ffff:10.0.0.2', '198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', 'forged, 198.51.100.1', '198.51.100.1'],
    ['fd00::1', '2001:db8::7', '2001:db8::7'],
    ['192.168.1.4', undefined, '192.168.1.4'],
  ])('is of %s, passed on for %s: %s', (ip, forwarded, address) => {
    expect(addressOf({ ip, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } })).toBe(address)
  })
})
