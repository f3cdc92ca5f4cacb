import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './root.mjs'

/**
 * Counts the tests of the runner's report, plus one failure for each problem that is not a test: a file that could not
 * be loaded or prepared, an error outside any test, a runner that ended before it could report.
 */
export function countTests(report, exitCode) {
  const read = readReport(report)
  if (read === undefined) return { passed: 0, failed: 1, skipped: 0 }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = read
  const failed = numFailedTests + testResults.filter(failedOutsideTests).length
  const unexplained = failed === 0 && (exitCode !== 0 || numPassedTests === 0) ? 1 : 0
  return { passed: numPassedTests, failed: failed + unexplained, skipped: numPendingTests + numTodoTests }
}

/**
 * The test files that took longest, longest first.
 *
 * @returns seconds and path of each, from the repository's root; empty when there is no report
 */
export function listSlowestFiles(report, count = 20) {
  const { testResults = [] } = readReport(report) ?? {}
  return testResults
    .map(({ name, startTime, endTime }) => ({ path: relative(root, name), seconds: (endTime - startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count)
}

/**
 * The tests that failed, and the files that failed outside their tests: when they were loaded, or in a hook.
 *
 * @returns the path from the repository's root, the names of the test, and the first lines of its message
 */
export function listFailures(report, lines = 6) {
  const { testResults = [] } = readReport(report) ?? {}
  const shorten = (message = '') => message.split('\n').slice(0, lines).join('\n')
  return testResults.flatMap((result) => {
    const path = relative(root, result.name)
    if (failedOutsideTests(result)) return [{ path, message: shorten(result.message) }]
    return result.assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => ({ path, test: fullName, message: shorten(failureMessages[0]) }))
  })
}

/** Prints the failures in short, because their full text is far above, among the output of all tests. */
export function printFailures(failures) {
  if (failures.length === 0) return
  console.log('\nFailed')
  for (const { path, test, message } of failures) {
    console.log(`  ${path}${test === undefined ? '' : ` > ${test}`}`)
    if (message !== '') console.log(message.replaceAll(/^/gm, '    '))
  }
}

function readReport(report) {
  const file = join(root, report)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** Whether a file failed although none of its tests did. */
const failedOutsideTests = ({ status, assertionResults }) =>
  status === 'failed' && assertionResults.every((test) => test.status !== 'failed')

export function printSlowestFiles(files) {
  if (files.length === 0) return
  console.log(`\nThe ${files.length} slowest test files, in seconds`)
  for (const { path, seconds } of files) console.log(`${seconds.toFixed(1).padStart(7)}  ${path}`)
}

/** Prints the last line of a test run, for people and machines. */
export function printTally({ passed, failed, skipped }) {
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
}
