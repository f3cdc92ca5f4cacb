import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { countTests } from './count-tests.mjs'
import { root } from './root.mjs'

mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache/count-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A runner's report with so many passed and failed tests, and files that could not be loaded. */
function aReport(passed: number, failed: number, unloadable = 0) {
  const file = join(folder, `${passed}-${failed}-${unloadable}.json`)
  const broken = Array.from({ length: unloadable }, () => ({ status: 'failed', assertionResults: [] }))
  const report = {
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: 1,
    numTodoTests: 1,
    testResults: broken,
  }
  writeFileSync(file, JSON.stringify(report))
  return relative(root, file)
}

describe('the tally of a test run', () => {
  it.each([
    ['counts what the runner counted', aReport(7, 0), 0, { passed: 7, failed: 0, skipped: 2 }],
    ['counts failures', aReport(7, 2), 1, { passed: 7, failed: 2, skipped: 2 }],
    ['counts a file that could not be loaded', aReport(7, 0, 1), 1, { passed: 7, failed: 1, skipped: 2 }],
    ['counts an error outside any test', aReport(7, 0), 1, { passed: 7, failed: 1, skipped: 2 }],
    ['does not call nothing a success', aReport(0, 0), 0, { passed: 0, failed: 1, skipped: 2 }],
    ['counts a runner that died', '.cache/never-written.json', 137, { passed: 0, failed: 1, skipped: 0 }],
  ])('%s', (_, report, exitCode, tally) => {
    expect(countTests(report, exitCode)).toEqual(tally)
  })
})
