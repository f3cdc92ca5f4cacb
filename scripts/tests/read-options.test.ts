import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../steps/root.mjs'
import { toAllowedMinutes } from './budget.mjs'
import { findByName } from './find-changed.mjs'
import { PARTS } from './parts.mjs'
import { readOptions } from './read-options.mjs'

describe('the flags of npm test', () => {
  it.each([
    [[], { isFull: false, help: false, vitestArgs: [] }],
    [['--full'], { isFull: true, help: false, vitestArgs: [] }],
    [
      ['--full', '--part', 'clients', '-t', 'x'],
      { isFull: true, help: false, part: 'clients', vitestArgs: ['-t', 'x'] },
    ],
    [['--full', '--part=units'], { isFull: true, help: false, part: 'units', vitestArgs: [] }],
    [['--changed'], { isFull: false, help: false, changedSince: 'HEAD', vitestArgs: [] }],
    [['--changed', 'main'], { isFull: false, help: false, changedSince: 'main', vitestArgs: [] }],
    [['e2e/web', '--project=e2e-web'], { isFull: false, help: false, vitestArgs: ['e2e/web', '--project=e2e-web'] }],
  ])('%j are read', (args, options) => {
    expect(readOptions(args)).toEqual(options)
  })

  it.each([
    [['--part', 'units'], '--part is for npm run test:full'],
    [['--full', '--part', 'unit'], 'no part "unit". Parts: units,'],
    [['--full', '--part'], 'no part "". Parts: units,'],
    [['--full', '--changed'], 'exclude each other'],
  ])('%j are refused', (args, sentence) => {
    expect(() => readOptions(args)).toThrow(sentence)
  })
})

describe('the parts of the full tests', () => {
  it('have each end-to-end test in exactly one part', () => {
    const files = readdirSync(join(root, 'e2e'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
      .map((name) => `e2e/${name}`)
    const isBrowser = (path: string) => path.startsWith('e2e/web/') && !path.startsWith('e2e/web/journeys/')
    const partsOf = (path: string) =>
      Object.entries(PARTS)
        .filter(([, args]) =>
          args.some((arg) => path.startsWith(arg) || (arg === '--project=e2e-web' && isBrowser(path))),
        )
        .map(([name]) => name)
    expect(files.length).toBeGreaterThan(100)
    expect(files.filter((path) => partsOf(path).length !== 1)).toEqual([])
  })
})

describe('the end-to-end tests of a change', () => {
  const tests = [
    'e2e/web/datasets.test.ts',
    'e2e/web/datasets-list.test.ts',
    'e2e/clients/python/datasets.test.ts',
    'e2e/web/feedback.test.ts',
  ]

  it('are named after a folder or a file of it', () => {
    expect(findByName(['packages/server/src/features/datasets/list.ts'], tests)).toEqual(tests.slice(0, 3))
    expect(findByName(['packages/sdk/src/resources/feedback.ts'], tests)).toEqual([tests[3]])
  })

  it('are none for tests and documents', () => {
    expect(findByName(['packages/sdk/src/datasets.test.ts', 'docs/guides/datasets.md'], tests)).toEqual([])
  })
})

it('grants a complete run 60 minutes at a yardstick of 100 ms, and more on a slower machine', () => {
  expect([toAllowedMinutes(100), toAllowedMinutes(150)]).toEqual([60, 90])
})
