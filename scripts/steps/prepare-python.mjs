import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { installDebian } from './install-debian.mjs'
import { printProgress } from './output.mjs'
import { reportMissing } from './report-missing.mjs'
import { root } from './root.mjs'
import { readCommand, runCommand } from './run-command.mjs'

/**
 * Creates a virtual environment with the pinned Python clients, once per list of pins.
 *
 * @param isFull  adds what only the full tests use
 * @returns environment for the tests
 */
export function preparePython({ isFull = false } = {}) {
  const python = join(root, '.venv', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
  const files = [requirements, ...Object.values(requirementsBeside), ...Object.values(requirementsApart)]
  const missing =
    prepareOnce('requirements', files, python, () => makeEnvironment(python)) ??
    (isFull ? prepareOnce('full', Object.values(requirementsOfFull), python, () => makeFull(python)) : undefined)
  if (missing === undefined) return { TOUCHSTONE_TEST_PYTHON: python }
  reportMissing(`${missing}: the suite of Python clients is skipped.`)
  return {}
}

/**
 * The same on a thread, beside other preparations: the packages are a minute of work.
 *
 * @returns {Promise<ReturnType<typeof preparePython>>}
 */
export function preparePythonBeside(options = {}) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { preparePython: options } })
    worker.once('message', resolve)
    worker.once('error', reject)
    // Under CI=true a missing tool ends the thread, with a message.
    worker.once('exit', (code) => code !== 0 && process.exit(code))
  })
}

/** Makes something again when a list of pins has changed. @returns what `make` returns: the name of what is missing */
function prepareOnce(name, files, python, make) {
  const stamp = join(root, `.venv/${name}.installed`)
  const wanted = files.map((file) => readFileSync(join(root, file), 'utf8')).join('')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(python)) return undefined
  const missing = make()
  if (missing === undefined) writeFileSync(stamp, wanted)
  return missing
}

/** @returns the name of what is missing, or undefined */
function makeEnvironment(python) {
  const system = findPython() ?? (installDebian('python3', 'python3-venv') ? findPython() : undefined)
  if (!system) return 'No Python 3.11 or newer was found'
  printProgress('Installing the Python clients into .venv (once)')
  const make = () => runCommand(system, ['-m', 'venv', '--clear', '.venv'], quiet) === 0
  // Debian ships venv separately from Python, so the first attempt may fail on a machine that has only Python.
  if (!make() && !(installDebian('python3-venv') && make())) return 'This Python has no venv'
  // Further versions are installed in their own folders and use the dependencies of the main list.
  const isInstalled =
    install(python, requirements) &&
    installFolders(python, requirementsBeside, '--no-deps') &&
    installFolders(python, requirementsApart)
  return isInstalled ? undefined : 'The Python clients could not be installed'
}

function makeFull(python) {
  printProgress('Installing the Python frameworks of the full tests into .venv (once)')
  return installFolders(python, requirementsOfFull) ? undefined : 'The Python frameworks could not be installed'
}

const quiet = { stdio: ['ignore', 'ignore', 2] }

function install(python, file, ...flags) {
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', file, ...flags]
  return runCommand(python, args, quiet) === 0
}

function installFolders(python, folders, ...flags) {
  return Object.entries(folders).every(([name, file]) => install(python, file, '--target', `.venv/${name}`, ...flags))
}

function findPython() {
  const recent = 'import sys; sys.exit(sys.version_info < (3, 11))'
  return ['python3', 'python'].find((name) => readCommand(name, ['-c', recent]) !== undefined)
}

const requirements = 'e2e/clients/python/requirements.txt'
/**
 * Folders in `.venv`: `former` has calls that the newest version has removed, `previous` is the previous minor version,
 * `langchain` is newer than pip can resolve, because it requires a certifi that the registry does not have.
 */
const requirementsBeside = {
  former: 'e2e/clients/python/requirements-former.txt',
  previous: 'e2e/clients/python/requirements-previous.txt',
  langchain: 'e2e/clients/python/requirements-langchain.txt',
}

/** Folders with dependencies of their own: `frameworks` need an older major version of `openai`, `s3` is the S3 server of the tests. */
const requirementsApart = {
  frameworks: 'e2e/clients/python/requirements-frameworks.txt',
  s3: 'e2e/support/requirements-s3.txt',
}

/**
 * CrewAI has a vector store and a package manager among its dependencies: 1 GB, a minute of CPU time to install. The frameworks of
 * `e2e/clients/otel` are 0.5 GB; two versions of AG2 have different programs.
 */
const requirementsOfFull = {
  crewai: 'e2e/clients/python/requirements-crewai.txt',
  instrumentations: 'e2e/clients/otel/frameworks/requirements.txt',
  ag2: 'e2e/clients/otel/frameworks/requirements-ag2.txt',
}

if (!isMainThread && workerData?.preparePython) parentPort.postMessage(preparePython(workerData.preparePython))
