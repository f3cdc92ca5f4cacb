import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findHostileText, findPatterns } from './find-slow-patterns.ts'

/** What the process of the server runs. */
const PACKAGES = ['contract', 'formats', 'server']

const root = new URL('../..', import.meta.url)
const sources = execFileSync('git', ['ls-files', ...PACKAGES.map((name) => `packages/${name}/src`)], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.ts$/.test(path) && !/\.test\.ts$|\/testing\/|\/generate\//.test(path))

describe('a regular expression', () => {
  it.each([
    [/^\d+\.?\d*$/, true],
    [/^\d+(?:\.\d*)?$/, false],
    [/\/+$/, true],
    [/(?<!\/)\/+$/, false],
    [/<[^>]*>/, true],
    [/<[^<>]*>/, false],
  ])('%s needs quadratic time for a hostile text: %s', (pattern, isSlow) => {
    expect(findHostileText(pattern) !== undefined).toBe(isSlow)
  })

  it('that the server uses needs linear time for every text', () => {
    const checked = new Set<string>()
    const slow = sources.flatMap((path) =>
      findPatterns(path, readFileSync(new URL(path, root), 'utf8')).flatMap((pattern) => {
        const written = `/${pattern.source}/${pattern.flags}`
        if (checked.has(written)) return []
        checked.add(written)
        const text = findHostileText(pattern)
        return text === undefined ? [] : [`${path}: ${written} with ${text}`]
      }),
    )
    expect(checked.size).toBeGreaterThan(300)
    expect(slow).toEqual([])
  }, 600_000)
})
