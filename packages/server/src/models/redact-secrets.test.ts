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
