import { relative } from 'node:path'
import { root } from '../steps/root.mjs'
import { readCommand } from '../steps/run-command.mjs'

/**
 * The test files that a change can touch: those that import a changed module, and the end-to-end files that are named
 * after a folder or file that changed. End-to-end tests use the built programs, so no import leads to them.
 *
 * @param {string} base a commit; what differs from it counts, and files that git does not know yet
 * @returns {string[]} from the repository's root
 */
export function findTouchedTests(base) {
  const vitest = readCommand('node', [
    'node_modules/vitest/vitest.mjs',
    'list',
    '--changed',
    base,
    '--filesOnly',
    '--json',
  ])
  if (vitest === undefined) throw new Error(`Vitest cannot list what changed since ${base}. Is it a commit?`)
  const byImports = JSON.parse(vitest).map((/** @type {{ file: string }} */ { file }) => relative(root, file))
  const endToEnd = listFiles('e2e/*.test.ts', 'e2e/**/*.test.ts')
  return [...new Set([...byImports, ...findByName(findChangedFiles(base), endToEnd)])].sort()
}

/** @param {string} base @returns {string[]} */
export function findChangedFiles(base) {
  const changed = readCommand('git', ['diff', '--name-only', '--diff-filter=d', base])
  if (changed === undefined) throw new Error(`Git does not know the commit ${base}.`)
  return [...changed.split('\n'), ...listFiles('--others', '--exclude-standard')].filter(Boolean)
}

/**
 * The test files with the name of a folder or a file on the path of a changed source, such as `e2e/web/datasets.test.ts`
 * and `e2e/clients/javascript/datasets.test.ts` for `packages/server/src/features/datasets/list.ts`.
 *
 * @param {readonly string[]} changed
 * @param {readonly string[]} tests
 */
export function findByName(changed, tests) {
  const sources = changed.filter((path) => /^packages\/\w+\/src\//.test(path) && !path.includes('.test.'))
  const names = new Set(
    sources.flatMap((path) =>
      path
        .replace(/\.\w+$/, '')
        .split('/')
        .slice(3),
    ),
  )
  return tests.filter((path) => {
    const name = path.replace(/^.*\//, '').replace(/\.test\.ts$/, '')
    return names.has(name) || [...names].some((noun) => name.startsWith(`${noun}-`))
  })
}

/** @param {string[]} args of `git ls-files` */
function listFiles(...args) {
  return (readCommand('git', ['ls-files', ...args]) ?? '').split('\n').filter(Boolean)
}
