import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { formatReferencePage } from './help.ts'

it('docs/reference/cli.md matches the commands (scripts/write-reference.mjs writes it)', async () => {
  const page = readFileSync(new URL('../../../docs/reference/cli.md', import.meta.url), 'utf8')
  expect(page).toBe(await formatReferencePage())
})
