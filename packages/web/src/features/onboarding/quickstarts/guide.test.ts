import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GUIDE_FACTS, printGuide } from './guide.ts'
import { ENVIRONMENTS, QUICKSTARTS } from './quickstarts.ts'

const guide = readFileSync(new URL('../../../../../../docs/guides/first-trace.md', import.meta.url), 'utf8')

describe('the guide for the first trace', () => {
  it('is written from the quickstarts; run node scripts/write-reference.mjs', () => {
    expect(guide).toBe(printGuide())
  })

  it('has every snippet of the page', () => {
    const programs = QUICKSTARTS.flatMap(({ programs }) => programs(GUIDE_FACTS))
    const environments = Object.values(ENVIRONMENTS).flatMap((print) => print(GUIDE_FACTS).slice(0, 1))
    for (const { text } of [...programs, ...environments]) expect(guide).toContain(`\n${text}\n\`\`\``)
    expect(programs).toHaveLength(15)
  })
})
