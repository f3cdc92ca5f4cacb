import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { checkImports } from './check-imports.ts'
import { RULES } from './imports/rules.ts'
import { root } from './steps/root.mjs'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** Creates a repository of the given files; the files that they import need not exist. */
function createRepository(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'imports-'))
  folders.push(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

/** The rules without the exceptions, which a small repository does not need. */
const rules = { ...RULES, exceptions: [] }

const server = 'packages/server/src'
const features = `${server}/features`
const webFeatures = 'packages/web/src/features'

describe('the import rules', () => {
  it.each([
    ['to a higher package', 'packages/contract/src/a.ts', `import { x } from '@touchstone/sdk'`, 'may import'],
    ['from the server to the SDK', `${server}/a.ts`, `import type { x } from '@touchstone/sdk'`, 'may import'],
    [
      'of another package by path',
      'packages/web/src/a.ts',
      `import { x } from '../../server/src/app.ts'`,
      'may import',
    ],
    ['of a higher layer', `${server}/storage/a.ts`, `import { x } from '../http/a.ts'`, 'not below'],
    ['of the same layer', `${server}/http/a.ts`, `import { x } from '../jobs/y.ts'`, 'not below'],
    ['of a feature by a control', 'packages/web/src/ui/a.tsx', `import { x } from '#features/runs/y.ts'`, 'not below'],
    ['of a page by its queries', `${webFeatures}/runs/a.ts`, `import { x } from './list/y.tsx'`, 'not below'],
    [
      'of a higher feature of the UI',
      `${webFeatures}/runs/a.ts`,
      `import { x } from '#features/home/y.ts'`,
      'not below',
    ],
    ['of a higher feature', `${features}/projects/a.ts`, `import { x } from '../runs/index.ts'`, 'not below'],
    ['of lifecycle by a feature', `${features}/runs/a.ts`, `import { x } from '../../lifecycle/index.ts'`, 'not below'],
    ['of a private file', `${features}/runs/a.ts`, `import { x } from '../projects/store.ts'`, 'bypasses'],
    ['by re-export', `${features}/projects/index.ts`, `export * from '../runs/index.ts'`, 'not below'],
    ['at run time', `${features}/projects/a.ts`, `const x = await import('../runs/index.ts')`, 'not below'],
    ['of a feature without an order', `${features}/new/a.ts`, `import { x } from './b.ts'`, 'not in the order'],
    ['of another route', 'packages/web/src/routes/a.tsx', `import { x } from './-page.tsx'`, 'another route'],
  ])('refuse an import %s', (_, path, text, problem) => {
    expect(checkImports(createRepository({ [path]: text }), rules)).toEqual([expect.stringContaining(problem)])
  })

  it.each([
    ['of a lower package', `${webFeatures}/runs/a.ts`, `import { x } from '@touchstone/sdk'`],
    ['of a lower feature by its index', `${features}/runs/a.ts`, `import { x } from '../projects/index.ts'`],
    ['of a sub-folder by its index', `${features}/runs/a.ts`, `import { x } from '../projects/agents/index.ts'`],
    ['inside one feature', `${features}/datasets/examples/a.ts`, `import { x } from '../versions/store.ts'`],
    ['by a test', `${features}/projects/a.test.ts`, `import { x } from '../runs/store.ts'`],
    ['by a file above all layers', `${server}/app.ts`, `import { x } from './features/runs/index.ts'`],
    ['that is only text', `${features}/projects/a.ts`, "const snippet = `\nimport { x } from '../runs/index.ts'\n`"],
  ])('allow an import %s', (_, path, text) => {
    expect(checkImports(createRepository({ [path]: text }), rules)).toEqual([])
  })

  it('allow an exception until no import needs it', () => {
    const exception = { from: `${features}/projects`, to: `${features}/runs`, reason: 'an example' }
    const withException = { ...rules, exceptions: [exception] }
    const file = `${features}/projects/a.ts`

    expect(checkImports(createRepository({ [file]: `import { x } from '../runs/index.ts'` }), withException)).toEqual(
      [],
    )
    expect(checkImports(createRepository({ [file]: '' }), withException)).toEqual([
      expect.stringContaining('remove it'),
    ])
  })

  it('refuse a cycle of files that load each other, and allow one of types', () => {
    const cycle = (kind: string) =>
      createRepository({
        'packages/sdk/src/a.ts': `import { b } from './b.ts'`,
        'packages/sdk/src/b.ts': `import ${kind}{ c } from './c.ts'`,
        'packages/sdk/src/c.ts': `import { a } from './a.ts'`,
      })

    expect(checkImports(cycle(''), rules)).toEqual([expect.stringContaining('import each other')])
    expect(checkImports(cycle('type '), rules)).toEqual([])
  })

  it('give a reason for every exception', () => {
    for (const { reason } of RULES.exceptions) expect(reason).not.toBe('')
  })

  it('hold in this repository', () => {
    expect(checkImports(root)).toEqual([])
  })
})
