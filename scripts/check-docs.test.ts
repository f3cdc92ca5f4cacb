import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DECISIONS, type Decision, printDecisions, readDecisions } from './docs/decisions.ts'
import { findBrokenLinks, findBrokenReferences } from './docs/find-broken-links.ts'
import { listProsePages } from './docs/list-prose-pages.ts'
import { findLongLines } from './docs/wrap-prose.ts'
import { root } from './steps/root.mjs'

const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
const sources = files.filter((file) => /^packages\/.*\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))

describe('the documentation', () => {
  it('has no broken link', () => {
    const pages = files.filter((file) => file.endsWith('.md'))

    expect(pages.length).toBeGreaterThan(40)
    expect(pages.flatMap((file) => findBrokenLinks(root, file))).toEqual([])
  })

  it('has no line of prose over 120 columns', () => {
    const lines = listProsePages(root).flatMap((file) =>
      findLongLines(readFileSync(join(root, file), 'utf8')).map((line) => `${file}:${line}`),
    )

    // `npx tsx scripts/wrap-docs.ts` wraps them.
    expect(lines).toEqual([])
  })

  it('has decisions with a number, a title, a status and a summary, and a table of them', () => {
    const decisions = readDecisions(root)
    const index = readFileSync(join(root, DECISIONS, 'README.md'), 'utf8')

    expect(decisions.flatMap((decision) => ('problem' in decision ? [decision.problem] : []))).toEqual([])
    // `npx tsx scripts/write-decisions.ts` writes the table.
    expect(index).toContain(`\n${printDecisions(decisions as Decision[])}\n`)
  })

  it('and all other files exist where a source file refers to them with @see', () => {
    expect(sources.flatMap((file) => findBrokenReferences(root, file))).toEqual([])
  })

  it('is right that the server sends requests only through the guarded client and to its stores', () => {
    const network =
      /\bfetch\(|from 'undici'|import \{[^}]*\b(request|get)\b[^}]*\} from 'node:https?'|from '@clickhouse\/client'|from 'pg'|from '@aws-sdk\//
    const allowed = [/\/outbound\//, /\/storage\/(analytics|relational|blobs|verify-cluster)\//, /\/testing\//]
    const callers = sources
      .filter((file) => file.startsWith('packages/server/src/') && !allowed.some((pattern) => pattern.test(file)))
      .filter((file) => network.test(withoutComments(readFileSync(join(root, file), 'utf8'))))

    expect(callers).toEqual([])
  })
})

const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
