import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackages } from './steps/build-packages.mjs'
import {
  countTests,
  listFailures,
  listSlowestFiles,
  printFailures,
  printSlowestFiles,
  printTally,
} from './steps/count-tests.mjs'
import { installPackages } from './steps/install-packages.mjs'
import { fail, printProgress } from './steps/output.mjs'
import { prepareBrowser } from './steps/prepare-browser.mjs'
import { prepareClickHouse } from './steps/prepare-clickhouse.mjs'
import { preparePostgres } from './steps/prepare-postgres.mjs'
import { preparePython } from './steps/prepare-python.mjs'
import { prepareS3 } from './steps/prepare-s3.mjs'
import { root } from './steps/root.mjs'
import { runTool } from './steps/run-command.mjs'

// npm test [-- arguments of vitest]: installs what is missing, builds, runs all tests, prints the slowest files, the
// failures and the counts.
// npm run test:full adds the long proofs: journeys over a million runs, more rounds of kills and races.
const FULL = {
  TOUCHSTONE_JOURNEYS: 'full',
  TOUCHSTONE_KILL_ROUNDS: '200',
  TOUCHSTONE_CONCURRENCY_ROUNDS: '100',
}
const isFull = process.argv.includes('--full')
const vitestArgs = process.argv.slice(2).filter((argument) => argument !== '--full')

installPackages()
if (!buildPackages()) fail('Nothing was tested: a package does not build.')
const postgres = preparePostgres()
// Passed by environment, so that a single suite (npx vitest --project 'e2e*') uses the same variables.
const python = preparePython({ isFull })
const s3 = await prepareS3(python.TOUCHSTONE_TEST_PYTHON)
const clickhouse = await prepareClickHouse()
const servers = { ...postgres.env, ...s3.env, ...clickhouse.env }
const env = { ...(isFull && FULL), ...process.env, ...prepareBrowser(), ...python, ...servers }

printProgress('Running every test')
const report = '.cache/test-report.json'
rmSync(join(root, report), { force: true })
const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
const code = runTool('vitest', [...args, ...vitestArgs], { env })
postgres.stop()
s3.stop()
clickhouse.stop()

const tally = countTests(report, code)
printSlowestFiles(listSlowestFiles(report))
printFailures(listFailures(report))
printTally(tally)
process.exit(tally.failed === 0 ? 0 : 1)
