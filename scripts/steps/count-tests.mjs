import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'

/**
 * What the runner's report says, plus one failure for each thing it does not count as a test: a file that could not be
 * loaded, an error outside any test, a runner that died before it could report.
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

/** The last line of a test run: plain, alone, and the same for people and machines. */
export function printTally({ passed, failed, skipped }) {
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
}
