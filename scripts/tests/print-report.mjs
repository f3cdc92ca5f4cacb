import { hasFailed, listSlowestFiles, sumByGroup, sumByProject } from './report.mjs'
import { MAX_UNSTABLE } from './run-again.mjs'

/** Lines of a message in the list of failures; the whole text stands above, among the output of all tests. */
const MESSAGE_LINES = 6

/**
 * Prints where the time of a run went: by group, by project, and the slowest files.
 *
 * @param {import('./report.mjs').Report} report
 */
export function printTimes(report) {
  console.log('\nSeconds by group')
  for (const { group, wallSeconds } of sumByGroup(report)) console.log(`${toColumn(wallSeconds)}  ${group}`)
  console.log('\nSeconds by project, of all its files together')
  for (const { project, seconds, files, tests } of sumByProject(report))
    console.log(`${toColumn(seconds)}  ${project}: ${tests} tests in ${files} files`)
  const slowest = listSlowestFiles(report)
  console.log(`\nThe ${slowest.length} slowest test files, in seconds, and their statements to the column store`)
  for (const { path, project, seconds, statements } of slowest)
    console.log(`${toColumn(seconds)} ${String(statements ?? '').padStart(7)}  ${path} (${project})`)
  printCompared(report)
}

/** @param {import('./report.mjs').Report} report */
function printCompared(report) {
  const compared = report.files.reduce((total, file) => total + file.compared, 0)
  if (compared > 0) console.log(`\n${compared} statements compared over HTTP`)
}

const toColumn = (/** @type {number} */ seconds) => seconds.toFixed(1).padStart(8)

/**
 * Prints the failures in short.
 *
 * @param {import('./report.mjs').Report} report
 */
export function printFailures(report) {
  const files = report.files.filter(hasFailed)
  if (files.length === 0 && report.errors.length === 0) return
  console.log('\nFailed')
  for (const file of files) printFile(file)
  for (const message of report.errors) printMessage(message)
}

/**
 * Prints the files that failed beside others and passed alone, with both results.
 *
 * @param {import('./run-again.mjs').UnstableFile[]} unstable
 */
export function printUnstable(unstable) {
  if (unstable.length === 0) return
  const verdict = unstable.length > MAX_UNSTABLE ? `more than ${MAX_UNSTABLE}: the run is red` : 'each is a bug to mend'
  console.log(`\nUnstable: failed beside others, passed alone (${verdict})`)
  for (const { beside, alone } of unstable) {
    printFile(beside)
    console.log(`    alone: ${alone.passed} passed in ${alone.seconds.toFixed(1)} s`)
  }
}

/** @param {import('./report.mjs').FileReport} file */
function printFile({ path, project, failures }) {
  for (const { test, message } of failures) {
    console.log(`  ${path} (${project})${test === undefined ? '' : ` > ${test}`}`)
    printMessage(message)
  }
}

function printMessage(/** @type {string} */ message) {
  console.log(message.split('\n').slice(0, MESSAGE_LINES).join('\n').replaceAll(/^/gm, '    '))
}

/**
 * Prints the last line of a test run, for users and machines.
 *
 * @param {import('./report.mjs').Tally} tally
 */
export function printTally({ passed, failed, skipped }) {
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
}
