import { existsSync } from 'node:fs'
import { installDebian } from './install-debian.mjs'
import { printProgress } from './output.mjs'
import { reportMissing } from './report-missing.mjs'
import { readCommand, runTool } from './run-command.mjs'

/** Headless Chromium: the same engine and protocol, and a page opens in half the time. */
const SHELL = 'chromium-headless-shell'

/** Finds or installs a Chromium for the browser tests. @returns environment for the tests */
export function prepareBrowser() {
  const path = process.env.TOUCHSTONE_CHROMIUM ?? which(SHELL) ?? install(SHELL) ?? findChromium() ?? installChromium()
  if (!path) reportMissing('No Chromium was found or could be installed: the browser tests are skipped.')
  return path ? { TOUCHSTONE_CHROMIUM: path } : {}
}

function findChromium() {
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  const path = which('chromium') ?? which('chromium-browser') ?? which('google-chrome')
  return path ?? (existsSync(mac) ? mac : playwrightsPath())
}

function installChromium() {
  return install('chromium') ?? installPlaywrights()
}

function install(name) {
  return installDebian(name) ? which(name) : undefined
}

function which(name) {
  return readCommand('which', [name]) || undefined
}

function installPlaywrights() {
  printProgress("Installing Playwright's Chromium (once)")
  runTool('playwright-core', ['install', 'chromium'], { stdio: ['ignore', 2, 2] })
  return playwrightsPath()
}

function playwrightsPath() {
  const ask = "import('playwright-core').then(({ chromium }) => console.log(chromium.executablePath()))"
  const path = readCommand(process.execPath, ['-e', ask])
  return path && existsSync(path) ? path : undefined
}
