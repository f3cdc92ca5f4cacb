import { hasFailed } from './report.mjs'

/** Files that may fail beside others and pass alone before the run is red. */
export const MAX_UNSTABLE = 3
/** With more failed files than this the run is red anyway, and running them again would only take time. */
const MAX_AGAIN = 12

/**
 * A file that failed beside others and passed alone in a fresh process.
 *
 * @typedef {object} UnstableFile
 * @property {import('./report.mjs').FileReport} beside
 * @property {import('./report.mjs').FileReport} alone
 */

/**
 * Runs each failed file once more, alone and in a fresh process. A second try inside the failed process would start from
 * the state that the first one left, and prove nothing.
 *
 * @param {import('./report.mjs').Report} report
 * @param {(file: import('./report.mjs').FileReport) => import('./report.mjs').FileReport | undefined} runAlone returns
 *   undefined when the runner could not report
 * @returns {{ report: import('./report.mjs').Report, unstable: UnstableFile[] }} the report with the second result of
 *   each file that counts as unstable; up to `MAX_UNSTABLE` files do, with more all failures stay
 */
export function runFailedAgain(report, runAlone) {
  const failed = report.files.filter(hasFailed)
  if (failed.length > MAX_AGAIN) return { report, unstable: [] }
  const unstable = failed.flatMap((beside) => {
    const alone = runAlone(beside)
    return alone === undefined || hasFailed(alone) || alone.passed === 0 ? [] : [{ beside, alone }]
  })
  if (unstable.length > MAX_UNSTABLE) return { report, unstable }
  const second = new Map(unstable.map(({ beside, alone }) => [beside, alone]))
  return { report: { ...report, files: report.files.map((file) => second.get(file) ?? file) }, unstable }
}
