import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../steps/root.mjs'
import { runTool } from '../steps/run-command.mjs'
import { readReport } from './report.mjs'

/**
 * Runs Vitest and reads what it reported.
 *
 * @param {string[]} args after `vitest run`
 * @param {object} options
 * @param {string} options.reportFile from the repository's root; what an earlier run left there is removed
 * @param {import('node:child_process').SpawnSyncOptions & { env: NodeJS.ProcessEnv }} options.spawn
 * @param {typeof runTool} [options.run] runs a tool of the repository and returns its exit code
 * @returns {{ report: import('./report.mjs').Report | undefined, exitCode: number }}
 */
export function runVitest(args, { reportFile, spawn, run = runTool }) {
  rmSync(join(root, reportFile), { force: true })
  const reporters = ['--reporter=default', '--reporter=./scripts/tests/reporter.mjs']
  const env = { ...spawn.env, TOUCHSTONE_TEST_REPORT: reportFile }
  const exitCode = run('vitest', ['run', ...reporters, ...args], { ...spawn, env })
  return { report: readReport(reportFile), exitCode }
}
