import { describe, expect, it } from 'vitest'
import { listSecrets } from './call-model.ts'
import { isSecretHeader, SecretRedactor } from './redact-secrets.ts'

const KEY = 'sk-abcabcabd-0123'

describe('a redactor of secrets', () => {
  it('knows long values of all headers, with and without their scheme, and no short words', () => {
    const headers = { 'x-auth': 'Basic c2VjcmV0c2VjcmV0', 'x-team': 'default' }
    const connection = {
      kind: 'openai-chat',
      baseUrl: 'http://h',
      keyHeader: 'authorization',
      key: KEY,
      headers,
    } as const
    const redactor = new SecretRedactor(listSecrets(connection))
    expect(redactor.redact(`default c2VjcmV0c2VjcmV0 ${KEY}`)).toBe('default ******** ********')
  })

  it('finds a secret wherever a stream is cut', () => {
    const text = `before ${KEY} between ${KEY}${KEY} after sk-abcabc`
    for (let first = 0; first <= text.length; first++) {
      for (const second of [first, first + 1, first + 7]) {
        const stream = new SecretRedactor([KEY]).stream()
        const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)]
        const shown = pieces.map((piece) => stream.push(piece)).join('') + stream.end()
        expect(shown).toBe('before ******** between **************** after sk-abcabc')
      }
    }
  })

  const unicode = (text: string) =>
    [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  const percents = (text: string) => [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('')
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const SECRET = 'sk-"a/b+c=d" \\key?~0123'
  const forms: readonly [string, string][] = [
    ['JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['JSON inside JSON', JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
    ['JSON with escaped slashes', JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')],
    ['escapes of Unicode', unicode(SECRET)],
    ['escapes of Unicode in upper case', unicode(SECRET).replace(/[a-f]/g, (one) => one.toUpperCase())],
    ['escapes of some characters', `sk${unicode('-"a')}${SECRET.slice(5)}`],
    ['a part of a URL', encodeURIComponent(SECRET)],
    ['a part of a URL, twice', encodeURIComponent(encodeURIComponent(SECRET))],
    ['every character of a URL', percents(SECRET)],
    ['base64', base64(SECRET)],
    ['base64 after one byte', base64(`:${SECRET}`)],
    ['base64 after two bytes', base64(`u:${SECRET} and more`)],
    ['base64 of URLs', Buffer.from(`user:${SECRET}`).toString('base64url')],
  ]
  it.each(forms)('finds a secret as %s, wherever a stream is cut', (_, form) => {
    const redactor = new SecretRedactor([SECRET])
    const whole = redactor.redact(`before ${form} after`)
    expect(whole).toMatch(/^before .{0,7}\*{8}.{0,16} after$/)
    const text = `before ${form} after`
    for (let cut = 0; cut <= text.length; cut++) {
      const stream = redactor.stream()
      expect(stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end()).toBe(whole)
    }
  })

  it('reads a long run of backslashes and percents once', () => {
    const hostile = '\\'.repeat(200_000) + '%25'.repeat(100_000)
    expect(new SecretRedactor(['\\%secret', 'usecret', KEY]).redact(hostile)).toBe(hostile)
  })

  it('delays nothing that is no beginning of a secret', () => {
    const stream = new SecretRedactor([KEY]).stream()
    expect(stream.push('Hello wor')).toBe('Hello wor')
    expect(stream.push('ld s')).toBe('ld ')
    expect(stream.push('un')).toBe('sun')
  })

  it('replaces longer secrets first, and ignores short ones', () => {
    const redactor = new SecretRedactor(['abcdef', 'abcdefgh', 'x', `Bearer ${KEY}`])
    expect(redactor.redact(`abcdefgh abcdef x ${KEY}`)).toBe('******** ******** x ********')
  })

  it.each([
    'authorization',
    'Proxy-Authorization',
    'x-api-key',
    'api-key',
    'set-cookie',
    'x-auth-token',
    'cf-access-client-secret',
  ])('takes %s for a secret header', (name) => expect(isSecretHeader(name)).toBe(true))
})
