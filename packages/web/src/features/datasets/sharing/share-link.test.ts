import { describe, expect, it } from 'vitest'
import { readDatasetLink } from './share-link.ts'

const token = '5f2c8a9e-6b1d-4c3a-8f7e-1a2b3c4d5e6f'
const origin = 'http://localhost:3000'
const own = { token, origin, isOwn: true }

describe('a public link of a dataset', () => {
  it.each([
    [token, own],
    [`  ${token.toUpperCase()} `, own],
    [`${origin}/public/${token}/d`, own],
    [`${origin}/public/${token}/d/compare?selectedSessions=1`, own],
    [`/public/${token}/d`, own],
    [`https://eval.example/public/${token}/d`, { token, origin: 'https://eval.example', isOwn: false }],
    [`${origin}/public/${token}/r`, undefined],
    [`javascript:/public/${token}/d`, undefined],
    ['qa-golden', undefined],
    ['', undefined],
  ])('%s', (text, expected) => {
    expect(readDatasetLink(text, origin)).toEqual(expected)
  })
})
