import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { listNpmMethods, listPythonMethods } from './clients/list-methods.mjs'
import { compareNames, PINNED_FILES, PYTHON_FILES, readPins, writePin } from './clients/pins.mjs'
import { buildPackages } from './steps/build-packages.mjs'
import { installPackages } from './steps/install-packages.mjs'
import { fail, printProgress } from './steps/output.mjs'
import { preparePython } from './steps/prepare-python.mjs'
import { root } from './steps/root.mjs'
import { readCommand, runCommand } from './steps/run-command.mjs'
import { printFailures, printTally } from './tests/print-report.mjs'
import { countTests } from './tests/report.mjs'
import { runVitest } from './tests/run-vitest.mjs'

const HELP = `npm run clients:newest [-- flags]

Raises the published clients (npm and PyPI) to their newest versions, runs the suites of clients, and prints the
versions before and after, public methods that are new or gone, and the tests that failed. Ends with 1 if any failed.

  --dry-run   only prints which versions are newer; changes nothing
  --restore   puts the files and the installed packages back afterwards
  --help      prints this`

const OPTIONS = { 'dry-run': { type: 'boolean' }, restore: { type: 'boolean' }, help: { type: 'boolean' } }
const SUITES = ['e2e/clients', 'e2e/parity', 'e2e/test-runners', 'e2e/examples.test.ts']
const isWindows = process.platform === 'win32'
const npm = isWindows ? 'npm.cmd' : 'npm'

const flags = readFlags()
if (flags.help) {
  console.log(HELP)
  process.exit(0)
}
installPackages()
let { TOUCHSTONE_TEST_PYTHON: python } = preparePython()
const raises = findRaises(readPins())
printVersions(raises)
if (flags['dry-run'] || raises.length === 0) process.exit(0)

const files = PINNED_FILES.map((file) => [file, readFileSync(join(root, file))])
const before = { npm: listNpmMethods(), pypi: listPythonMethods(python) }
let failed = 1
try {
  install()
  printMethods('npm', before.npm, listNpmMethods())
  printMethods('PyPI', before.pypi, listPythonMethods(python))
  failed = runSuites()
} finally {
  if (flags.restore) restore()
}
process.exit(failed === 0 ? 0 : 1)

function readFlags() {
  try {
    return parseArgs({ options: OPTIONS }).values
  } catch (cause) {
    return fail(`${cause.message}\n\n${HELP}`)
  }
}

/** Returns the pins for whose package the registry has a newer version. */
function findRaises(pins) {
  const newest = new Map()
  return pins.flatMap((pin) => {
    const key = `${pin.registry} ${pin.name}`
    if (!newest.has(key)) newest.set(key, readNewest(pin))
    const version = newest.get(key)
    return version === undefined || version === pin.version ? [] : [{ ...pin, newest: version }]
  })
}

function readNewest({ registry, name }) {
  if (registry === 'npm') return readCommand(npm, ['view', name, 'version', '--loglevel=error'], { shell: isWindows })
  if (python === undefined) return undefined
  const listed = readCommand(python, ['-m', 'pip', 'index', 'versions', name, '--disable-pip-version-check'])
  return /\(([^)]+)\)/.exec(listed ?? '')?.[1]
}

function printVersions(found) {
  console.log(found.length === 0 ? 'Every client is pinned to its newest version.' : 'Newer versions:')
  for (const { file, registry, name, version, newest } of found)
    console.log(`  ${registry.padEnd(4)} ${name} ${version} → ${newest}  (${file})`)
}

/** Raises the pins that can be installed; prints those that pip cannot resolve and keeps them. */
function install() {
  for (const raise of raises) {
    writePin(raise, raise.newest)
    if (raise.registry === 'npm' || isResolvable(raise.file)) continue
    writePin(raise, raise.version)
    console.log(`  ${raise.name} ${raise.newest} asks for packages that PyPI does not have; ${raise.version} stays`)
  }
  installNpm()
  python = preparePython().TOUCHSTONE_TEST_PYTHON
}

/** Whether pip finds everything that a list of requirements needs. Only the main list installs dependencies. */
function isResolvable(file) {
  const alone = file === PYTHON_FILES[0] ? [] : ['--no-deps']
  const args = ['-m', 'pip', 'install', '--dry-run', '--quiet', '--disable-pip-version-check', ...alone, '-r', file]
  return readCommand(python, args) !== undefined
}

function installNpm() {
  printProgress('Installing the npm packages')
  const code = runCommand(npm, ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
    shell: isWindows,
  })
  if (code !== 0) throw new Error('npm install failed; see the lines above.')
}

function printMethods(where, old, now) {
  const { added, removed } = compareNames(old, now)
  console.log(`\nPublic methods of the ${where} client: ${now.length}, ${added.length} new, ${removed.length} gone`)
  for (const name of added) console.log(`  + ${name}`)
  for (const name of removed) console.log(`  - ${name}`)
}

/** @returns number of failed tests */
function runSuites() {
  if (!buildPackages()) return 1
  const env = { ...process.env, ...(python === undefined ? {} : { TOUCHSTONE_TEST_PYTHON: python }) }
  const { report, exitCode } = runVitest(['--project=e2e', ...SUITES], {
    reportFile: '.cache/clients-report.json',
    spawn: { env, stdio: ['ignore', 2, 2] },
  })
  if (report !== undefined) printFailures(report)
  const tally = countTests(report, exitCode)
  printTally(tally)
  return tally.failed
}

function restore() {
  printProgress('Putting the versions back')
  for (const [file, content] of files) writeFileSync(join(root, file), content)
  installNpm()
  preparePython()
}
