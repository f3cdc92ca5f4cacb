import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { printProgress } from './output.mjs'
import { reportMissing } from './report-missing.mjs'
import { root } from './root.mjs'
import { runCommand } from './run-command.mjs'

const source = join(root, 'e2e/clients/otel/frameworks')
const folder = join(root, '.cache/frameworks')
const isWindows = process.platform === 'win32'

/**
 * Installs the frameworks of `e2e/clients/otel/frameworks` from npm below .cache, once: 0.4 GB that only the full tests use. Their
 * tests run there, where no check of the repository looks.
 */
export function prepareFrameworks() {
  const lock = 'package-lock.json'
  const stamp = join(folder, 'installed.json')
  const wanted = readFileSync(join(source, lock), 'utf8')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  printProgress('Installing the JavaScript frameworks of the full tests into .cache (once)')
  mkdirSync(folder, { recursive: true })
  for (const file of ['package.json', lock]) copyFileSync(join(source, file), join(folder, file))
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const options = { cwd: folder, stdio: ['ignore', 2, 2], shell: isWindows }
  if (runCommand(isWindows ? 'npm.cmd' : 'npm', args, options) !== 0)
    return reportMissing('The JavaScript frameworks could not be installed: their suite is skipped.')
  copyFileSync(join(source, lock), stamp)
}
