import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPackages } from './steps/install-packages.mjs'
import { printProgress } from './steps/output.mjs'
import { root } from './steps/root.mjs'
import { runTool } from './steps/run-command.mjs'

// npm run check [-- --without-tests]: format, lint, types, import rules, structure, test rules, glossary, dependencies, fast tests,
// changed test files ten times beside a busy core.
// Runs every step and lists all that failed.
installPackages()

const workspaces = ['packages', 'examples']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  .concat('e2e', 'bench', 'scripts')
  .filter((folder) => existsSync(join(root, folder, 'tsconfig.json')))

// One program checks many folders, because each would check the types of the contract again: 26 instead of 117 seconds of CPU
// time for the packages for Node, 25 instead of 62 for e2e, bench and scripts.
const TOGETHER = ['tsconfig.node.json', 'tsconfig.tools.json']
const readConfig = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const alone = workspaces.filter((folder) => !TOGETHER.some((path) => includesFolder(readConfig(path), folder)))

/** Whether a program has the options of a folder and all its files; the tools may have more libraries than they name. */
function includesFolder(program, folder) {
  const { compilerOptions, include } = readConfig(`${folder}/tsconfig.json`)
  const hasOptions = Object.entries(compilerOptions).every(([name, value]) =>
    Array.isArray(value)
      ? value.every((one) => program.compilerOptions[name]?.includes(one))
      : program.compilerOptions[name] === value,
  )
  return hasOptions && include.every((part) => program.include.includes(`${folder}/${part}`))
}

const tests = [
  ['fast tests', ['vitest', 'run', '--project=!e2e*']],
  ['changed test files, ten times', ['tsx', 'scripts/tests/repeat-changed.mjs']],
]
const steps = [
  ['format and lint', ['biome', 'check', '--error-on-warnings', '.']],
  ['types of packages for Node', ['tsc', '-p', 'tsconfig.node.json']],
  ['types of e2e, bench and scripts', ['tsc', '-p', 'tsconfig.tools.json']],
  ...alone.map((folder) => [`types of ${folder}`, ['tsc', '-p', folder]]),
  ['import rules', ['tsx', 'scripts/check-imports.ts']],
  ['structure', ['tsx', 'scripts/check-structure.ts']],
  ['test rules', ['tsx', 'scripts/check-test-rules.ts']],
  ['glossary', ['tsx', 'scripts/check-glossary.ts']],
  ['dependencies', ['tsx', 'scripts/check-dependencies.mjs']],
  ...(process.argv.includes('--without-tests') ? [] : tests),
]

const failed = steps.filter(([name, command]) => {
  printProgress(name)
  return runTool(command[0], command.slice(1)) !== 0
})
console.log(failed.length === 0 ? 'check: all passed' : `check: failed in ${failed.map(([name]) => name).join(', ')}`)
process.exit(failed.length === 0 ? 0 : 1)
