import { existsSync } from 'node:fs'
import { runCommand } from './run-command.mjs'
import { say } from './say.mjs'

/** Installs packages where we are root on a Debian-like system. @returns whether they are there now */
export function installDebian(...packages) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  say(`Installing Debian's ${packages.join(', ')}`)
  const apt = (...args) =>
    runCommand('apt-get', ['-qq', '-o=Dpkg::Use-Pty=0', ...args], {
      stdio: ['ignore', 'ignore', 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  const install = () => apt('install', '-y', '--no-install-recommends', ...packages) === 0
  return install() || (apt('update') === 0 && install())
}
