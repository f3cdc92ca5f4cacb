import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackages } from './steps/build-packages.mjs'
import { installPackages } from './steps/install-packages.mjs'
import { measureMachine } from './steps/measure-machine.mjs'
import { fail, printProgress } from './steps/output.mjs'
import { prepareBrowser } from './steps/prepare-browser.mjs'
import { prepareClickHouse } from './steps/prepare-clickhouse.mjs'
import { prepareFrameworks } from './steps/prepare-frameworks.mjs'
import { preparePostgres } from './steps/prepare-postgres.mjs'
import { preparePythonBeside } from './steps/prepare-python.mjs'
import { prepareS3 } from './steps/prepare-s3.mjs'
import { root } from './steps/root.mjs'
import { toAllowedMinutes } from './tests/budget.mjs'
import { findTouchedTests } from './tests/find-changed.mjs'
import { FULL, PARTS } from './tests/parts.mjs'
import { printFailures, printTally, printTimes, printUnstable } from './tests/print-report.mjs'
import { HELP, readOptions } from './tests/read-options.mjs'
import { countTests } from './tests/report.mjs'
import { MAX_UNSTABLE, runFailedAgain } from './tests/run-again.mjs'
import { runVitest } from './tests/run-vitest.mjs'

const options = parseOptions()
if (options.help) {
  console.log(HELP)
  process.exit(0)
}
const began = performance.now()
const yardstickMs = measureMachine()
const python = preparePythonBeside({ isFull: options.isFull })
installPackages()
if (options.isFull) prepareFrameworks()
if (!buildPackages()) fail('Nothing was tested: a package does not build.')
const servers = await startServers()
const prepared = join(root, 'packages/server/dist/prepared')
const env = {
  ...(options.isFull && FULL),
  ...process.env,
  ...prepareBrowser(),
  ...servers.env,
  // Of the build above, so that the server's tests need not prepare the same stores from sources.
  ...(existsSync(prepared) && { TOUCHSTONE_TEST_PREPARED: prepared }),
  // Reads of the server's tests are sent over HTTP too, and compared.
  TOUCHSTONE_TEST_HTTP_MIRROR: 'on',
}

const tallies = options.isFull ? runParts() : [runSelected()]
servers.stop()
const isInTime = isWithinBudget()
const tally = sumTallies(tallies)
printTally(tally)
process.exit(tally.failed === 0 && isInTime ? 0 : 1)

function parseOptions() {
  try {
    return readOptions(process.argv.slice(2))
  } catch (cause) {
    return fail(`${cause.message}\n\n${HELP}`)
  }
}

/** The servers of the tests, with the Python clients, as variables of the environment, which a single suite can use too. */
async function startServers() {
  const clients = await python
  const postgres = preparePostgres()
  const s3 = await prepareS3(clients.TOUCHSTONE_TEST_PYTHON)
  const clickhouse = await prepareClickHouse()
  return {
    env: { ...postgres.env, ...clients, ...s3.env, ...clickhouse.env },
    stop() {
      for (const server of [postgres, s3, clickhouse]) server.stop()
    },
  }
}

function runParts() {
  const names = options.part === undefined ? Object.keys(PARTS) : [options.part]
  return names.map((name) => {
    printProgress(`Running the part "${name}" of the full tests`)
    return runTests([...PARTS[name], ...options.vitestArgs])
  })
}

function runSelected() {
  if (options.changedSince === undefined) {
    printProgress('Running every test')
    return runTests(options.vitestArgs)
  }
  const files = findTouchedTests(options.changedSince)
  printProgress(`Running ${files.length} test files that the change since ${options.changedSince} can touch`)
  return files.length === 0 ? { passed: 0, failed: 0, skipped: 0 } : runTests([...files, ...options.vitestArgs])
}

/** Runs Vitest, then each failed file again alone, and prints the report. @param {string[]} args */
function runTests(args) {
  const { report, exitCode } = runVitest(args, { reportFile: '.cache/test-report.json', spawn: { env } })
  if (report === undefined) return countTests(report, exitCode)
  const again = runFailedAgain(report, runAlone)
  printTimes(report)
  printUnstable(again.unstable)
  printFailures(again.report)
  const isMended = again.unstable.length > 0 && again.unstable.length <= MAX_UNSTABLE
  return countTests(again.report, isMended ? 0 : exitCode)
}

/** @param {import('./tests/report.mjs').FileReport} file */
function runAlone({ path, project }) {
  printProgress(`Running ${path} again, alone`)
  const { report } = runVitest([`--project=${project}`, path], {
    reportFile: '.cache/test-report-alone.json',
    spawn: { env },
  })
  return report?.files.find((file) => file.path === path && file.project === project)
}

/** Prints how long the run took. @returns whether a complete run stayed within its budget */
function isWithinBudget() {
  const minutes = (performance.now() - began) / 60_000
  const allowed = toAllowedMinutes(yardstickMs)
  const isComplete = !options.isFull && options.changedSince === undefined && options.vitestArgs.length === 0
  console.log(
    `${minutes.toFixed(1)} minutes at a yardstick of ${yardstickMs.toFixed(0)} ms; budget ${allowed.toFixed(0)} minutes`,
  )
  if (!isComplete || minutes <= allowed) return true
  console.log('The tests are over their budget: shorten the slowest files above, or move proofs to npm run test:full.')
  return false
}

/** @param {import('./tests/report.mjs').Tally[]} all */
function sumTallies(all) {
  const sum = (/** @type {keyof import('./tests/report.mjs').Tally} */ name) =>
    all.reduce((total, tally) => total + tally[name], 0)
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
}
