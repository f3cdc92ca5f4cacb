import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DECISIONS, printDecisions, readDecisions } from './docs/decisions.ts'
import { root } from './steps/root.mjs'

// `npx tsx scripts/write-decisions.ts` writes the table of docs/decisions/README.md from the heads of the pages.
const decisions = readDecisions(root).flatMap((decision) => {
  if (!('problem' in decision)) return [decision]
  console.error(decision.problem)
  process.exitCode = 1
  return []
})
const index = join(root, DECISIONS, 'README.md')
const text = readFileSync(index, 'utf8')
writeFileSync(index, `${text.slice(0, text.indexOf('\n| '))}\n${printDecisions(decisions)}\n`)
