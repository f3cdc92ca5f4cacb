import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installDebian } from './install-debian.mjs'
import { reportMissing } from './missing.mjs'
import { root } from './root.mjs'
import { readCommand, runCommand } from './run-command.mjs'
import { say } from './say.mjs'

/** A virtual environment with the pinned Python clients, made once per list of pins. @returns environment for the tests */
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

/** @returns what is missing, or nothing */
function makeEnvironment(python) {
  const system = findPython() ?? (installDebian('python3', 'python3-venv') ? findPython() : undefined)
  if (!system) return 'No Python 3.11 or newer was found'
  say('Installing the Python clients into .venv (once)')
  const quiet = { stdio: ['ignore', 'ignore', 2] }
  const make = () => runCommand(system, ['-m', 'venv', '--clear', '.venv'], quiet) === 0
  // Debian ships venv apart from Python, so the first try may fail on a machine that has one without the other.
  if (!make() && !(installDebian('python3-venv') && make())) return 'This Python has no venv'
  const install = (file, ...flags) =>
    runCommand(
      python,
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', file, ...flags],
      quiet,
    ) === 0
  // Other versions stand beside those of the main list and use the packages that these brought along.
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
 * By the folder in `.venv`: `former` still has calls that the newest has dropped, `previous` is the last minor version,
 * `langchain` is newer than pip can resolve, because it asks for a certifi that the registry does not have.
 */
const requirementsBeside = {
  former: 'e2e/clients/python/requirements-former.txt',
  previous: 'e2e/clients/python/requirements-previous.txt',
  langchain: 'e2e/clients/python/requirements-langchain.txt',
}
