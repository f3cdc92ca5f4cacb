import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('docs/reference/sdk.md matches the published types (scripts/write-reference.mjs writes it)', () => {
  const script = fileURLToPath(new URL('../scripts/write-reference.mjs', import.meta.url))
  const written = join(mkdtempSync(join(tmpdir(), 'sdk-reference-')), 'sdk.md')
  const built = fileURLToPath(new URL('../dist', import.meta.url))
  execFileSync(process.execPath, [script, written, built], { stdio: 'inherit' })
  const page = readFileSync(new URL('../../../docs/reference/sdk.md', import.meta.url), 'utf8')
  expect(page).toBe(readFileSync(written, 'utf8'))
})
