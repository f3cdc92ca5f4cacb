import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProblems } from './dependencies/judge-dependencies.mjs'
import { root } from './steps/root.mjs'

// Compares the licenses of all run-time packages, and the packages with an install script, with
// scripts/dependencies/allowed.json.
const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'))
const problems = findProblems(read('package-lock.json').packages, read('scripts/dependencies/allowed.json'))
for (const problem of problems) console.error(problem)
console.log(problems.length === 0 ? 'dependencies: as listed' : `dependencies: ${problems.length} problems`)
process.exit(problems.length === 0 ? 0 : 1)
