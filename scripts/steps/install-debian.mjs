import { existsSync } from 'node:fs'
import { printProgress } from './output.mjs'
import { runCommand } from './run-command.mjs'

/** Installs Debian packages when running as root. @returns whether they are installed now */
export function installDebian(...packages) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  printProgress(`Installing Debian's ${packages.join(', ')}`)
  const apt = (...args) =>
    runCommand('apt-get', ['-qq', '-o=Dpkg::Use-Pty=0', ...args], {
      stdio: ['ignore', 'ignore', 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  const install = () => apt('install', '-y', '--no-install-recommends', ...packages) === 0
  return install() || (apt('update') === 0 && install())
}
