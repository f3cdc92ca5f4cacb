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
  const wanted = [requirements, formerRequirements].map((file) => readFileSync(join(root, file), 'utf8')).join('')
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
  if (!system) return 'No Python 3.10 or newer was found'
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
  // A client of earlier days, which still had calls that the newest has dropped; it uses what the newest brought along.
  const installed = install(requirements) && install(formerRequirements, '--no-deps', '--target', '.venv/former')
  return installed ? undefined : 'The Python clients could not be installed'
}

function findPython() {
  const recent = 'import sys; sys.exit(sys.version_info < (3, 10))'
  return ['python3', 'python'].find((name) => readCommand(name, ['-c', recent]) !== undefined)
}

const requirements = 'e2e/clients/python/requirements.txt'
const formerRequirements = 'e2e/clients/python/requirements-former.txt'
