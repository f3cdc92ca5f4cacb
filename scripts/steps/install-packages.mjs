import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'
import { runCommand } from './run-command.mjs'
import { giveUp, say } from './say.mjs'

/**
 * Brings node_modules to what package-lock.json says, once.
 *
 * Everything is installed, development packages too: the build needs them, and a release is not made by this path.
 * No install script of a dependency is relied on; npm 11 does not run them.
 */
export function installPackages() {
  if (isInstalled()) return
  say('Installing packages (once; about a minute)')
  const code = runCommand(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
    shell: isWindows,
  })
  if (code !== 0) giveUp('npm ci failed; the lines above say why. Touchstone needs the npm registry once, to install.')
}

/**
 * Whether node_modules holds what the lockfile asks for. npm keeps its own record of what it installed; comparing the
 * two needs no stamp of ours, so an `npm install` typed by hand counts.
 */
export function isInstalled() {
  const record = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(record)) return false
  const wanted = readPackages(join(root, 'package-lock.json'))
  const present = readPackages(record)
  return Object.entries(wanted).every(
    ([path, entry]) =>
      !path.includes('node_modules/') || entry.link || entry.optional || present[path]?.version === entry.version,
  )
}

const readPackages = (file) => JSON.parse(readFileSync(file, 'utf8')).packages
const isWindows = process.platform === 'win32'
const npm = isWindows ? 'npm.cmd' : 'npm'
