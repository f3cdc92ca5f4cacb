import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackages } from './steps/build-packages.mjs'
import { installPackages } from './steps/install-packages.mjs'
import { measureMachine } from './steps/measure-machine.mjs'
import { fail, printProgress } from './steps/output.mjs'
import { root } from './steps/root.mjs'
import { becomeCommand } from './steps/run-command.mjs'

// npm run bench <name> [-- flags of the benchmark]: prints figures and never fails a build
const [name, ...args] = process.argv.slice(2)
const file = `bench/${name}.ts`
if (!name || !existsSync(join(root, file))) {
  const known = readdirSync(join(root, 'bench'))
    .filter((entry) => /^[a-z-]+\.ts$/.test(entry))
    .map((entry) => entry.slice(0, -3))
  fail(`${name ? `There is no bench "${name}". ` : ''}npm run bench <${known.join('|')}>`)
}
installPackages()
if (!buildPackages()) process.exit(1)
printProgress(`This machine: ${Math.round(measureMachine())} ms for the yardstick of docs/benchmarks.md`)
becomeCommand(process.execPath, ['--conditions=touchstone:source', '--import=tsx', file, ...args])
