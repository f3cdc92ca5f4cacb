import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { checkImports } from './check-imports.ts'
import { HOUSE } from './imports/house.ts'
import { root } from './steps/root.mjs'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** A repository of the given files; what they import need not exist. */
function aHouseWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'imports-'))
  folders.push(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

/** The rules as they are meant, without what is owed. */
const rules = { ...HOUSE, debts: [] }

const rooms = 'packages/server/src/features'

describe('the import rules', () => {
  it.each([
    ['between packages uphill', 'packages/contract/src/a.ts', `import { x } from '@touchstone/sdk'`, 'crosses'],
    ['from the server to the sdk', 'packages/server/src/a.ts', `import type { x } from '@touchstone/sdk'`, 'crosses'],
    ['into a package by path', 'packages/web/src/a.ts', `import { x } from '../../server/src/app.ts'`, 'crosses'],
    ['between rooms without an edge', `${rooms}/projects/a.ts`, `import { x } from '../runs/index.ts'`, 'crosses'],
    ['past a front door', `${rooms}/runs/a.ts`, `import { x } from '../projects/store.ts'`, 'front door'],
    ['by re-export', `${rooms}/projects/index.ts`, `export * from '../runs/index.ts'`, 'crosses'],
    ['at run time', `${rooms}/projects/a.ts`, `const x = await import('../runs/index.ts')`, 'crosses'],
    ['from a control to a noun', 'packages/web/src/ui/a.tsx', `import { x } from '../domain/y.tsx'`, 'crosses'],
    ['sideways between pages', 'packages/web/src/routes/a/-list.tsx', `import { x } from '../b/-row.tsx'`, 'sideways'],
  ])('catch an import %s', (_, path, text, word) => {
    expect(checkImports(aHouseWith({ [path]: text }), rules)).toEqual([expect.stringContaining(word)])
  })

  it.each([
    ['downhill', 'packages/web/src/data/a.ts', `import { x } from '@touchstone/sdk'`],
    ['through a front door along an edge', `${rooms}/runs/a.ts`, `import { x } from '../projects/index.ts'`],
    ['inside one room', `${rooms}/runs/a.ts`, `import { x } from './store.ts'`],
    ['of a test into another room', `${rooms}/projects/a.test.ts`, `import { x } from '../runs/store.ts'`],
    ['of the list of all rooms', 'packages/server/src/app.ts', `import { x } from './features/runs/index.ts'`],
    ['that is only text', `${rooms}/projects/a.ts`, "const snippet = `\nimport { x } from '../runs/index.ts'\n`"],
  ])('allow an import %s', (_, path, text) => {
    expect(checkImports(aHouseWith({ [path]: text }), rules)).toEqual([])
  })

  it('tell when a debt is paid', () => {
    const debt = { file: `${rooms}/projects/a.ts`, imports: '../runs/index.ts', because: 'for now' }
    const house = { ...HOUSE, debts: [debt] }

    expect(checkImports(aHouseWith({ [debt.file]: `import { x } from '${debt.imports}'` }), house)).toEqual([])
    expect(checkImports(aHouseWith({ [debt.file]: '' }), house)).toEqual([expect.stringContaining('paid')])
  })

  it('give a reason for every edge, and edges only between parts that are listed', () => {
    const folders = HOUSE.parts.map((part) => part.folder)
    for (const [from, to, because] of HOUSE.edges) {
      expect(because).not.toBe('')
      for (const end of [from, to])
        expect(folders.some((folder) => folder.startsWith(end.replace(/\*$/, '')))).toBe(true)
    }
  })

  it('hold in this repository', () => {
    expect(checkImports(root)).toEqual([])
  })
})
