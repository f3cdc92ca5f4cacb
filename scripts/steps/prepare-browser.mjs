import { existsSync } from 'node:fs'
import { installDebian } from './install-debian.mjs'
import { reportMissing } from './missing.mjs'
import { readCommand, runTool } from './run-command.mjs'
import { say } from './say.mjs'

/** Finds or installs a Chromium for the browser tests. @returns environment for the tests */
export function prepareBrowser() {
  const path = findChromium() ?? (installDebian('chromium') ? findChromium() : undefined) ?? installPlaywrights()
  if (!path) reportMissing('No Chromium was found or could be installed: the browser tests are skipped.')
  return path ? { TOUCHSTONE_CHROMIUM: path } : {}
}

function findChromium() {
  if (process.env.TOUCHSTONE_CHROMIUM) return process.env.TOUCHSTONE_CHROMIUM
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    const path = readCommand('which', [name])
    if (path) return path
  }
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  return existsSync(mac) ? mac : playwrightsPath()
}

function installPlaywrights() {
  say("Installing Playwright's Chromium (once)")
  runTool('playwright-core', ['install', 'chromium'], { stdio: ['ignore', 2, 2] })
  return playwrightsPath()
}

function playwrightsPath() {
  const ask = "import('playwright-core').then(({ chromium }) => console.log(chromium.executablePath()))"
  const path = readCommand(process.execPath, ['-e', ask])
  return path && existsSync(path) ? path : undefined
}
