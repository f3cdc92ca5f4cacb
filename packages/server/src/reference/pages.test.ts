import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { referencePages } from './pages.ts'

it.each(Object.entries(referencePages()))(
  'docs/reference/%s matches the code (scripts/write-reference.mjs writes it)',
  (name, text) => {
    expect(readFileSync(new URL(`../../../../docs/reference/${name}`, import.meta.url), 'utf8')).toBe(text)
  },
)
