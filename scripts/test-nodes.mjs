import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { installPackages } from './steps/install-packages.mjs'
import { fail, printProgress } from './steps/output.mjs'
import { root } from './steps/root.mjs'
import { readCommand, runCommand } from './steps/run-command.mjs'
import { printTally } from './tests/print-report.mjs'
import { countTests } from './tests/report.mjs'
import { runVitest } from './tests/run-vitest.mjs'

// npm run test:nodes [-- majors]: installs other versions of Node below .cache and runs the fast tests of contract, SDK,
// server and CLI on each. @default the supported ones
const MAJORS = ['20', '22', '24']
const PROJECTS = ['contract', 'sdk', 'sdk-process', 'server', 'server-engine', 'server-start', 'cli']

const isWindows = process.platform === 'win32'
const npm = isWindows ? 'npm.cmd' : 'npm'

const asked = process.argv.slice(2)
installPackages()
const failed = (asked.length > 0 ? asked : MAJORS).filter((major) => !testOn(installNode(major)))
console.log(failed.length === 0 ? 'nodes: all passed' : `nodes: failed on ${failed.join(', ')}`)
process.exit(failed.length === 0 ? 0 : 1)

/**
 * Installs the newest release of a major version from the npm registry. Its package `node` would download it in an
 * install script, which npm 11 does not run; the packages of the platforms contain it.
 *
 * @returns path of the executable
 */
function installNode(major) {
  const folder = join(root, '.cache/nodes', major)
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`
  const executable = join(folder, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node')
  if (existsSync(executable)) return executable
  printProgress(`Installing Node ${major}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const args = ['install', `${name}@${major}`, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  if (runCommand(npm, args, { cwd: folder, stdio: ['ignore', 2, 2], shell: isWindows }) !== 0) {
    rmSync(folder, { recursive: true, force: true })
    fail(`Node ${major} could not be installed from the npm registry (${name}@${major}); see the lines above.`)
  }
  return executable
}

/** @returns whether all tests passed on this Node */
function testOn(node) {
  printProgress(`Testing on Node ${readCommand(node, ['--version'])}`)
  // Tests that start other programs find the same Node.
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) }
  const { report, exitCode } = runVitest(
    PROJECTS.map((name) => `--project=${name}`),
    {
      reportFile: '.cache/nodes-report.json',
      spawn: { env },
      run: (_, args, options) => runCommand(node, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], options),
    },
  )
  const tally = countTests(report, exitCode)
  printTally(tally)
  return tally.failed === 0
}
