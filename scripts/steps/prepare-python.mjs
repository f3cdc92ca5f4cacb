import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installDebian } from './install-debian.mjs'
import { printProgress } from './output.mjs'
import { reportMissing } from './report-missing.mjs'
import { root } from './root.mjs'
import { readCommand, runCommand } from './run-command.mjs'

/**
 * Creates a virtual environment with the pinned Python clients, once per list of pins. @returns environment for the
 * tests
 */
export function preparePython() {
  const python = join(root, '.venv', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
  const stamp = join(root, '.venv/requirements.installed')
  const files = [requirements, ...Object.values(requirementsBeside)]
  const wanted = files.map((file) => readFileSync(join(root, file), 'utf8')).join('')
  const ready = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(python)
  if (!ready) {
    const missing = makeEnvironment(python)
    if (missing !== undefined) {
      reportMissing(`${missing}: the suite of Python clients is skipped.`)
      return {}
    }
    writeFileSync(stamp, wanted)
  }
  return { TOUCHSTONE_TEST_PYTHON: python }
}

/** @returns the name of what is missing, or undefined */
function makeEnvironment(python) {
  const system = findPython() ?? (installDebian('python3', 'python3-venv') ? findPython() : undefined)
  if (!system) return 'No Python 3.11 or newer was found'
  printProgress('Installing the Python clients into .venv (once)')
  const quiet = { stdio: ['ignore', 'ignore', 2] }
  const make = () => runCommand(system, ['-m', 'venv', '--clear', '.venv'], quiet) === 0
  // Debian ships venv separately from Python, so the first attempt may fail on a machine that has only Python.
  if (!make() && !(installDebian('python3-venv') && make())) return 'This Python has no venv'
  const install = (file, ...flags) =>
    runCommand(
      python,
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', file, ...flags],
      quiet,
    ) === 0
  // Further versions are installed in their own folders and use the dependencies of the main list.
  const beside = Object.entries(requirementsBeside)
  const installed =
    install(requirements) && beside.every(([name, file]) => install(file, '--no-deps', '--target', `.venv/${name}`))
  return installed ? undefined : 'The Python clients could not be installed'
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
