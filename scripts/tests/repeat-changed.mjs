import { Worker } from 'node:worker_threads'
import { fail, printProgress } from '../steps/output.mjs'
import { readCommand } from '../steps/run-command.mjs'
import { findChangedFiles } from './find-changed.mjs'
import { printFailures } from './print-report.mjs'
import { hasFailed } from './report.mjs'
import { runVitest } from './run-vitest.mjs'

// Runs each changed or new test file ten times beside a busy core, because a test that depends on the speed of the machine
// or on the order of two events passes alone and fails in CI.
const ROUNDS = 10
const BUSY = "const { parentPort } = require('node:worker_threads'); for (;;) parentPort"

// What is not on the main branch of the remote; without one, what is not committed.
const base = readCommand('git', ['merge-base', 'HEAD', 'origin/main']) ?? 'HEAD'
const files = findChangedFiles(base).filter((path) => /\.test\.tsx?$/.test(path))
if (files.length === 0) {
  console.log('No test file has changed.')
  process.exit(0)
}
printProgress(`Running ${files.length} changed test files ${ROUNDS} times beside a busy core`)
const busy = new Worker(BUSY, { eval: true })
let failedRounds = 0
for (let round = 1; round <= ROUNDS; round++) {
  const { report, exitCode } = runVitest(files, {
    reportFile: '.cache/repeat-report.json',
    spawn: { env: process.env, stdio: ['ignore', 'ignore', 'inherit'] },
  })
  if (report === undefined || exitCode !== 0 || report.files.some(hasFailed)) {
    failedRounds++
    console.log(`Round ${round} failed.`)
    if (report !== undefined) printFailures(report)
  }
}
await busy.terminate()
if (failedRounds > 0)
  fail(`Changed test files failed in ${failedRounds} of ${ROUNDS} rounds: they depend on something.`)
console.log(`${files.length} changed test files passed ${ROUNDS} times beside a busy core.`)
process.exit(0)
