import { existsSync, readFileSync } from 'node:fs'
import { allRoutes } from '@touchstone/contract'
import { Client } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import type { Item, Proof } from './item.ts'
import { chapters } from './items/index.ts'
import { parityPage } from './page.ts'
import { testNames } from './support/test-names.ts'

const repository = new URL('../../', import.meta.url)
const items = chapters.flatMap((chapter) => chapter.items)
const sources = new Map<string, string>()

function sourceOf({ file }: Proof): string {
  const source = sources.get(file) ?? readFileSync(new URL(file, repository), 'utf8')
  sources.set(file, source)
  return source
}

const named = (all: readonly Item[]) => all.map((item): [string, Item] => [item.statement, item])

describe('the table of the specification', () => {
  it('is complete: as many items per chapter as the specification has', () => {
    const counts = Object.fromEntries(chapters.map(({ title, items: some }) => [title, some.length]))
    expect(counts).toEqual({
      '2. Links': 6,
      '3. Entities and their fields': 13,
      '4. States and transitions': 9,
      '5. Validation rules': 14,
      '6. Roles and permissions': 4,
      '7. Calls: runs and sharing': 4,
      '7. Calls: dataset sharing and public reads': 3,
      '7. Calls: projects': 5,
      '7. Calls: datasets': 12,
      '7. Calls: examples': 4,
      '7. Calls: feedback': 4,
      '7. Calls: annotation queues': 6,
      '7. Calls: prompts': 7,
      '8. The error catalogue': 15,
      '9. Business constants and limits': 10,
    })
  })

  it.each(named(items))('has a proof, or a reason why there is none, for: %s', (_, item) => {
    if (item.unproven === undefined) expect(item.proofs.length).toBeGreaterThan(0)
    else expect(item.unproven).not.toBe('')
  })

  it.each(named(items))('names tests that exist, once each, for: %s', (_, { proofs }) => {
    for (const proof of proofs) {
      expect(existsSync(new URL(proof.file, repository)), proof.file).toBe(true)
      const declared = testNames(sourceOf(proof)).filter((name) => name === proof.test)
      expect(declared, `${proof.file}: ${proof.test}`).toEqual([proof.test])
    }
  })

  it.each(named(items))('names methods that our client has and the tests call, for: %s', (_, { methods, proofs }) => {
    const tests = proofs.map(sourceOf).join('\n')
    for (const method of methods) {
      expect(Client.prototype, method).toHaveProperty(method)
      if (proofs.length > 0) expect(tests, method).toMatch(new RegExp(`\\.${method}\\b`))
    }
  })

  it.each(named(items))('names routes that the server mounts, for: %s', (_, { routes }) => {
    const mounted = new Set(allRoutes())
    for (const route of routes) expect(mounted.has(route), `${route.method} ${route.path}`).toBe(true)
  })

  it('is printed as docs/reference/parity.md (scripts/write-reference.mjs writes it)', () => {
    expect(readFileSync(new URL('docs/reference/parity.md', repository), 'utf8')).toBe(parityPage(chapters))
  })
})

describe('the names of tests', () => {
  it('are read from sources', () => {
    const source = [
      "it('plain', () => {})",
      "  it.each([[1], [(2)]])('with %i', () => {})",
      'it("with a quote\'s", () => {})',
      "it.skipIf(!x)('on some machines', () => {})",
      "  it.each([\n    [1, 'a'],\n  ])('over lines', () => {})",
      "it(\n  'on a line of its own',\n  () => {})",
      "expect('it is').toBe('not one')",
    ].join('\n')
    expect(testNames(source)).toEqual(['plain', 'with %i', "with a quote's", 'over lines', 'on a line of its own'])
  })
})
