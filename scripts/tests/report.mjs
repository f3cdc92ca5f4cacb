import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../steps/root.mjs'

/**
 * @typedef {object} Failure
 * @property {string} [test] its groups and its name; absent for a failure outside any test
 * @property {string} message
 */

/**
 * One test file in one project.
 *
 * @typedef {object} FileReport
 * @property {string} path from the repository's root
 * @property {string} project
 * @property {number} seconds imports, hooks and tests together
 * @property {number | null} beganAt epoch milliseconds; null for a file that never began
 * @property {number | null} endedAt
 * @property {number | null} statements sent to the column store; null where it is in another process
 * @property {number} compared statements whose rows were compared over HTTP
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {Failure[]} failures of its tests, its hooks and its imports
 */

/**
 * @typedef {object} Report
 * @property {number} seconds
 * @property {FileReport[]} files
 * @property {string[]} errors outside any file
 */

/** @typedef {{ passed: number, failed: number, skipped: number }} Tally */

/**
 * Reads what `reporter.mjs` has written.
 *
 * @param {string} path from the repository's root
 * @returns {Report | undefined} undefined when the runner ended before it could report
 */
export function readReport(path) {
  const file = join(root, path)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** @param {FileReport} file */
export const hasFailed = (file) => file.failures.length > 0

/**
 * Counts tests, plus one failure for each problem that is not a test: a file that could not be loaded or prepared, an
 * error outside any file, a runner that ended before it could report or failed without saying why.
 *
 * @param {Report | undefined} report
 * @param {number} exitCode of the runner
 * @returns {Tally}
 */
export function countTests(report, exitCode) {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 }
  const sum = (/** @type {'passed' | 'failed' | 'skipped'} */ name) =>
    report.files.reduce((total, file) => total + file[name], 0)
  const outsideTests = report.files.filter((file) => hasFailed(file) && file.failed === 0).length
  const failed = sum('failed') + outsideTests + report.errors.length
  const unexplained = failed === 0 && (exitCode !== 0 || sum('passed') === 0) ? 1 : 0
  return { passed: sum('passed'), failed: failed + unexplained, skipped: sum('skipped') }
}

/**
 * The test files that took longest, longest first.
 *
 * @param {Report} report
 */
export function listSlowestFiles(report, count = 20) {
  return [...report.files].sort((a, b) => b.seconds - a.seconds).slice(0, count)
}

/**
 * The time of each project, longest first.
 *
 * @param {Report} report
 * @returns {{ project: string, files: number, tests: number, seconds: number, wallSeconds: number }[]} `seconds` is the
 *   sum over its files, which run side by side; `wallSeconds` is from the start of its first to the end of its last file
 */
export function sumByProject(report) {
  return [...new Set(report.files.map(({ project }) => project))]
    .map((project) => ({ project, files: report.files.filter((file) => file.project === project) }))
    .map(({ project, files }) => ({
      project,
      files: files.length,
      tests: files.reduce((total, file) => total + file.passed + file.failed, 0),
      seconds: files.reduce((total, file) => total + file.seconds, 0),
      wallSeconds: measureWall(files),
    }))
    .sort((a, b) => b.seconds - a.seconds)
}

/**
 * The time of each group of projects that run one after the other.
 *
 * @param {Report} report
 * @returns {{ group: string, wallSeconds: number }[]} in the order in which they ran
 */
export function sumByGroup(report) {
  return ['units', 'e2e', 'e2e-web', 'e2e-alone']
    .map((group) => ({ group, files: report.files.filter(({ project }) => toGroup(project) === group) }))
    .filter(({ files }) => files.length > 0)
    .map(({ group, files }) => ({ group, wallSeconds: measureWall(files) }))
}

const toGroup = (/** @type {string} */ project) => (project.startsWith('e2e') ? project : 'units')

/** @param {FileReport[]} files */
function measureWall(files) {
  const times = files.flatMap(({ beganAt, endedAt }) => (beganAt === null ? [] : [beganAt, endedAt ?? beganAt]))
  return times.length === 0 ? 0 : (Math.max(...times) - Math.min(...times)) / 1000
}
