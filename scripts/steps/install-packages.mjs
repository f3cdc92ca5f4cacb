import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, printProgress } from './output.mjs'
import { root } from './root.mjs'
import { runCommand } from './run-command.mjs'

/**
 * Installs node_modules as package-lock.json lists them, once.
 *
 * Development packages are installed too, because the build needs them. No install script of a dependency is needed;
 * npm 11 does not run them.
 */
export function installPackages() {
  if (isInstalled()) return
  printProgress('Installing packages (once; about a minute)')
  const code = runCommand(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
    shell: isWindows,
  })
  if (code !== 0) fail('npm ci failed; see the lines above. Touchstone needs the npm registry once, to install.')
}

/**
 * Whether node_modules contains what the lockfile lists. Compares with npm's own record, so that a manual `npm install`
 * counts.
 */
export function isInstalled() {
  const record = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(record)) return false
  const wanted = readPackages(join(root, 'package-lock.json'))
  const present = readPackages(record)
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.optional) return true
    // A package of this repository is a link, also one that is new since the last installation.
    return entry.link ? existsSync(join(root, path)) : present[path]?.version === entry.version
  })
}

const readPackages = (file) => JSON.parse(readFileSync(file, 'utf8')).packages
const isWindows = process.platform === 'win32'
const npm = isWindows ? 'npm.cmd' : 'npm'
