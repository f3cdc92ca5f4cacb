import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listProsePages } from './docs/list-prose-pages.ts'
import { wrapProse } from './docs/wrap-prose.ts'
import { root } from './steps/root.mjs'

// `npx tsx scripts/wrap-docs.ts [file...]` wraps the prose of the documentation, or of these files, at 120 columns.
const files = process.argv.length > 2 ? process.argv.slice(2) : listProsePages(root)
for (const file of files) {
  const text = readFileSync(join(root, file), 'utf8')
  const wrapped = wrapProse(text)
  if (wrapped === text) continue
  writeFileSync(join(root, file), wrapped)
  console.log(file)
}
