import { describe, expect, it } from 'vitest'
import { createAnonymizer, createSecretAnonymizer, SECRET_PLACEHOLDER } from '../anonymizer.ts'
import type { StringNodeRule } from './create-anonymizer.ts'

describe('rules', () => {
  it('change every string in order, and nothing else', () => {
    const anonymize = createAnonymizer([{ pattern: /\b\d{4}\b/g, replace: '<number>' }, { pattern: 'ada|<number>' }])
    const given = { user: 'ada 1234', list: ['ada', 5678, null], when: new Date(0), missing: undefined }
    expect(anonymize(given)).toEqual({
      user: '[redacted] [redacted]',
      list: ['[redacted]', 5678, null],
      when: '[redacted]-01-01T00:00:00.000Z',
    })
    expect(given.user).toBe('ada 1234')
  })

  it('name the groups of a pattern in their replacement', () => {
    const anonymize = createAnonymizer([{ pattern: /(\w+)@(\w+)/g, replace: '$1@***' }])
    expect(anonymize({ mail: 'ada@example' })).toEqual({ mail: 'ada@***' })
    expect(anonymize('ada@example')).toBe('ada@***')
  })

  it('are refused when there are none, or one of an unknown type', () => {
    expect(() => createAnonymizer([])).toThrow('No replacers provided')
    const unknown = [{ type: 'other', pattern: 'x' }] as unknown as StringNodeRule[]
    expect(() => createAnonymizer(unknown)).toThrow('Invalid anonymizer type')
  })
})

describe('a function', () => {
  it('gets each string with its path', () => {
    const seen: string[] = []
    const anonymize = createAnonymizer((value, path) => {
      seen.push(`${path}=${value}`)
      return path.endsWith('content') ? '***' : value
    })
    const given = { messages: [{ role: 'user', content: 'hi' }], model: 'm' }
    expect(anonymize(given)).toEqual({ messages: [{ role: 'user', content: '***' }], model: 'm' })
    expect(seen).toEqual(['messages[0].role=user', 'messages[0].content=hi', 'model=m'])
  })

  it('reaches strings whose keys contain dots, and keys that would reach a prototype', () => {
    const given = JSON.parse('{"a.b":"one","a":{"b":"two"},"__proto__":"three"}') as Record<string, unknown>
    const anonymized = createAnonymizer(() => 'x')(given)
    expect(JSON.stringify(anonymized)).toBe('{"a.b":"x","a":{"b":"x"},"__proto__":"x"}')
    expect(Object.getPrototypeOf(anonymized)).toBe(Object.prototype)
  })
})

describe('a processor of nodes', () => {
  it('returns only the strings to change', () => {
    const anonymize = createAnonymizer({
      maskNodes: (nodes) => nodes.filter(({ path }) => path === 'b').map((node) => ({ ...node, value: '***' })),
    })
    expect(anonymize({ a: 'one', b: 'two' })).toEqual({ a: 'one', b: '***' })
  })
})

describe('a value that is hard to copy', () => {
  it('is anonymized too: bigints, cycles, and what is too deep', () => {
    const cyclic: Record<string, unknown> = { name: 'secret', big: 10n }
    cyclic.self = cyclic
    const anonymize = createAnonymizer([{ pattern: 'secret', replace: '***' }], { maxDepth: 3 })
    expect(JSON.stringify(anonymize(cyclic))).not.toContain('secret')
    const deep = { a: { b: { c: { d: 'secret' } } }, near: 'secret' }
    expect(anonymize(deep)).toEqual({ a: { b: { c: '[nested too deeply to anonymize]' } }, near: '***' })
  })
})

describe('secrets', () => {
  const anonymize = createSecretAnonymizer()

  it.each([
    ['Anthropic', `sk-ant-api03-${'a1B2'.repeat(8)}`],
    ['OpenAI', `sk-proj-${'a1B2'.repeat(8)}`],
    ['Touchstone', `ts_${'a1B2c'.repeat(8)}`],
    ['LangSmith', `lsv2_pt_${'ab12'.repeat(8)}_${'ab12ab12ab'}`],
    ['GitHub', `ghp_${'a1B2'.repeat(9)}`],
    ['GitHub, fine-grained', `github_pat_${'a1B2'.repeat(8)}`],
    ['GitLab', `glpat-${'a1B2'.repeat(5)}`],
    ['AWS', 'AKIAIOSFODNN7EXAMPLE'],
    ['Google', `AIza${'a1B2c'.repeat(7)}`],
    ['Slack', 'xoxb-1234567890-abcdefghij'],
    ['Stripe', `sk_live_${'a1B2'.repeat(6)}`],
    ['npm', `npm_${'a1B2'.repeat(9)}`],
    ['PyPI', `pypi-${'a1B2'.repeat(10)}`],
    ['SendGrid', `SG.${'a1B2'.repeat(5)}.${'a1B2'.repeat(10)}`],
    ['a JSON web token', `eyJ${'a1B2'.repeat(5)}.eyJ${'a1B2'.repeat(5)}.${'a1B2'.repeat(8)}`],
    ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${'a1B2'.repeat(20)}\n-----END RSA PRIVATE KEY-----`],
  ])('of %s are replaced, with the text around them', (_, secret) => {
    expect(anonymize({ text: `before ${secret} after` })).toEqual({ text: `before ${SECRET_PLACEHOLDER} after` })
  })

  it.each([
    ['OPENAI_API_KEY=abcdef123', `OPENAI_API_KEY=${SECRET_PLACEHOLDER}`],
    ['{"client_secret": "hunter22"}', `{"client_secret": "${SECRET_PLACEHOLDER}"}`],
    ['Authorization: Bearer abc.def-123', `Authorization: ${SECRET_PLACEHOLDER}`],
    ['use Bearer abcdefgh12345678 here', `use Bearer ${SECRET_PLACEHOLDER} here`],
    ['postgres://ada:s3cret@db/x', `postgres://ada:${SECRET_PLACEHOLDER}@db/x`],
    ['https://hooks.slack.com/services/T0/B0/abcdef', `https://hooks.slack.com/services/${SECRET_PLACEHOLDER}`],
  ])('behind a name keep the name: %s', (text, expected) => {
    expect(anonymize(text)).toBe(expected)
  })

  it.each([
    ['the password is long'],
    ['total_tokens: 123456'],
    ['a task-oriented agent asks for a token'],
    ['https://example.com:8080/path'],
    ['data:image/png;base64,iVBORw0KGgo='],
  ])('are not seen in %s', (text) => {
    expect(anonymize(text)).toBe(text)
  })

  it('are found with rules of a program, in values of 1 MB, in linear time', () => {
    const own = createSecretAnonymizer({ extraRules: [{ pattern: /EMP-\d+/g, replace: 'EMP-?' }] })
    expect(own('EMP-12 sk-aaaaaaaaaaaaaaaaaaaa')).toBe(`EMP-? ${SECRET_PLACEHOLDER}`)
    for (const part of ['-----BEGIN PRIVATE KEY-----', 'a-', 'sk-', 'api_key', 'http://a:', 'eyJaaaaaaaa.']) {
      const text = part.repeat(Math.ceil(1_000_000 / part.length))
      expect(typeof own(text)).toBe('string')
    }
  }, 20_000)
})
