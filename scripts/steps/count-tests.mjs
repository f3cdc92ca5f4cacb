import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './root.mjs'

/**
 * Counts the tests of the runner's report, plus one failure for each problem that is not a test: a file that could not
 * be loaded, an error outside any test, a runner that ended before it could report.
 */
export function countTests(report, exitCode) {
  const file = join(root, report)
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  const unloadable = testResults.filter((one) => one.status === 'failed' && one.assertionResults.length === 0).length
  const failed = numFailedTests + unloadable
  const unexplained = failed === 0 && (exitCode !== 0 || numPassedTests === 0) ? 1 : 0
  return { passed: numPassedTests, failed: failed + unexplained, skipped: numPendingTests + numTodoTests }
}

/**
 * The test files that took longest, longest first.
 *
 * @returns seconds and path of each, from the repository's root; empty when there is no report
 */
export function listSlowestFiles(report, count = 20) {
  const file = join(root, report)
  if (!existsSync(file)) return []
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'))
  return testResults
    .map(({ name, startTime, endTime }) => ({ path: relative(root, name), seconds: (endTime - startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count)
}

export function printSlowestFiles(files) {
  if (files.length === 0) return
  console.log(`\nThe ${files.length} slowest test files, in seconds`)
  for (const { path, seconds } of files) console.log(`${seconds.toFixed(1).padStart(7)}  ${path}`)
}

/** Prints the last line of a test run, for people and machines. */
export function printTally({ passed, failed, skipped }) {
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
}
