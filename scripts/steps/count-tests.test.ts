import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { countTests, listFailures, listSlowestFiles } from './count-tests.mjs'
import { root } from './root.mjs'

mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache/count-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Writes a report with so many passed and failed tests, and files that could not be loaded. */
function createReport(passed: number, failed: number, unloadable = 0) {
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
    ['counts what the runner counted', createReport(7, 0), 0, { passed: 7, failed: 0, skipped: 2 }],
    ['counts failures', createReport(7, 2), 1, { passed: 7, failed: 2, skipped: 2 }],
    ['counts a file that could not be loaded', createReport(7, 0, 1), 1, { passed: 7, failed: 1, skipped: 2 }],
    ['counts an error outside any test', createReport(7, 0), 1, { passed: 7, failed: 1, skipped: 2 }],
    ['does not call nothing a success', createReport(0, 0), 0, { passed: 0, failed: 1, skipped: 2 }],
    ['counts a runner that died', '.cache/never-written.json', 137, { passed: 0, failed: 1, skipped: 0 }],
  ])('%s', (_, report, exitCode, tally) => {
    expect(countTests(report, exitCode)).toEqual(tally)
  })
})

describe('the failures', () => {
  it('are tests, and files that failed outside their tests, with the first lines of their messages', () => {
    const file = join(folder, 'failures.json')
    const skipped = { status: 'skipped', fullName: 'a page opens' }
    const testResults = [
      { name: join(root, 'good.test.ts'), status: 'passed', assertionResults: [{ status: 'passed' }] },
      {
        name: join(root, 'bad.test.ts'),
        status: 'failed',
        message: '',
        assertionResults: [{ status: 'failed', fullName: 'a list is sorted', failureMessages: ['one\ntwo\nthree'] }],
      },
      { name: join(root, 'hook.test.ts'), status: 'failed', message: 'no browser', assertionResults: [skipped] },
    ]
    writeFileSync(
      file,
      JSON.stringify({ numPassedTests: 1, numFailedTests: 1, numPendingTests: 1, numTodoTests: 0, testResults }),
    )

    expect(listFailures(relative(root, file), 2)).toEqual([
      { path: 'bad.test.ts', test: 'a list is sorted', message: 'one\ntwo' },
      { path: 'hook.test.ts', message: 'no browser' },
    ])
    expect(countTests(relative(root, file), 1)).toEqual({ passed: 1, failed: 2, skipped: 1 })
  })
})

describe('the slowest test files', () => {
  it('are listed from the longest, as many as asked for', () => {
    const file = join(folder, 'slowest.json')
    const testResults = [3, 9, 5].map((seconds) => ({
      name: join(root, `${seconds}.test.ts`),
      startTime: 1000,
      endTime: 1000 + seconds * 1000,
    }))
    writeFileSync(file, JSON.stringify({ testResults }))

    expect(listSlowestFiles(relative(root, file), 2)).toEqual([
      { path: '9.test.ts', seconds: 9 },
      { path: '5.test.ts', seconds: 5 },
    ])
  })

  it('are none when the runner died before it could report', () => {
    expect(listSlowestFiles('.cache/never-written.json')).toEqual([])
  })
})
