import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { version } from '../src/version.ts'

const sources = dirname(dirname(fileURLToPath(import.meta.url)))
const repository = join(sources, '../..')
const manifest = JSON.parse(readFileSync(join(sources, 'package.json'), 'utf8'))
const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json')
/** Entries that live inside a test runner and import it, which no other program could. */
const runners = Object.keys(manifest.peerDependencies)
const isForRunner = (entry: string) => /^\.\/(vitest|jest)/.test(entry)

/** A project of a user, with the built package installed the way npm would. */
const project = mkdtempSync(join(tmpdir(), 'consumer-'))
const installed = join(project, 'node_modules/@touchstone/sdk')

beforeAll(() => {
  mkdirSync(installed, { recursive: true })
  cpSync(join(sources, 'dist'), join(installed, 'dist'), { recursive: true })
  writeFileSync(join(installed, 'package.json'), JSON.stringify(manifest))
  symlinkSync(join(repository, 'node_modules/@types'), join(project, 'node_modules/@types'))
  symlinkSync(join(repository, 'node_modules/undici-types'), join(project, 'node_modules/undici-types'))
})

const nameOf = (entry: string) => `@touchstone/sdk${entry.slice(1)}`

describe('the package', () => {
  it('depends on nothing and knows its version', () => {
    expect(manifest.dependencies ?? {}).toEqual({})
    expect(version).toBe(manifest.version)
  })

  it.each(entries.filter((entry) => !isForRunner(entry)))(
    'offers %s in both module systems, with the same names',
    (entry) => {
      const names = run(`
      const module = await import('${nameOf(entry)}')
      console.log(JSON.stringify([Object.keys(module).sort(), Object.keys(require('${nameOf(entry)}')).sort()]))
    `)
      const [module, common] = JSON.parse(names)
      expect(common).toEqual(module)
      if (entry !== './schemas') expect(module.length).toBeGreaterThan(0)
    },
  )

  it('has one copy of each class per module system, and traces nest across the two', () => {
    const output = run(`
      const { traceable } = await import('@touchstone/sdk/traceable')
      const common = require('@touchstone/sdk/traceable')
      const oneClass = require('@touchstone/sdk').RunTree === require('@touchstone/sdk/run_trees').RunTree
      const client = { createRun: async () => {}, updateRun: async () => {} }
      const inner = common.traceable(async () => common.getCurrentRunTree().parent_run.name)
      const outer = traceable(async () => inner(), { name: 'outer', client, tracingEnabled: true })
      console.log(oneClass, await outer())
    `)
    expect(output).toBe('true outer\n')
  })

  it.each(entries)('mentions no Node builtin in %s that a bundler would have to resolve', async (entry) => {
    const { metafile } = await bundle(entry)
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports)
    const foreign = imports.filter(({ external }) => external).map(({ path }) => path)
    const allowed = isForRunner(entry) ? runners : []
    expect(foreign.filter((path) => !allowed.some((name) => path === name || path.startsWith(`${name}/`)))).toEqual([])
  })

  it('keeps ./traceable under 20 kB, bundled and compressed', async () => {
    const { outputFiles } = await bundle('./traceable')
    expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThan(20_000)
  })

  it('loads ./traceable from at most five files, because each file costs an import time', async () => {
    const { metafile } = await bundle('./traceable')
    const files = Object.keys(metafile.inputs).filter((name) => name.endsWith('.js'))
    expect(files).toContainEqual(expect.stringContaining('dist/traceable.js'))
    expect(files.length).toBeLessThanOrEqual(5)
  })

  it('does not mention development packages in its types', () => {
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
    const declarations = files.filter((name) => /\.d\.c?ts$/.test(name) && !/^(cjs\/)?(vitest|jest)[./]/.test(name))
    expect(declarations.length).toBeGreaterThan(20)
    for (const name of declarations) {
      expect(readFileSync(join(installed, 'dist', name), 'utf8')).not.toMatch(
        /from ['"](zod|vitest|@touchstone\/(contract|formats))/,
      )
    }
  })

  it.each([
    ['ES modules with the types of Node', 'consumer.mts', { types: ['node'], lib: ['es2023'] }],
    ['CommonJS with the types of Node', 'consumer.cts', { types: ['node'], lib: ['es2023'] }],
    ['ES modules with the types of a browser', 'consumer.mts', { types: [], lib: ['es2023', 'dom', 'dom.iterable'] }],
  ])(
    'compiles without skipLibCheck as %s',
    (_, file, options) => {
      const compilerOptions = {
        module: 'nodenext',
        target: 'es2022',
        strict: true,
        skipLibCheck: false,
        noEmit: true,
        ...options,
      }
      writeFileSync(join(project, 'package.json'), '{"name":"consumer","version":"1.0.0"}')
      writeFileSync(join(project, file), readFileSync(join(sources, 'test/consumer.ts')))
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
      expect(compile(project)).toBe('')
    },
    120_000,
  )
})

describe('the published types of the API', () => {
  it('are those of the sources, written out', () => {
    const folder = join(project, 'schemas')
    const built = join(installed, 'dist/schemas')
    const source = join(sources, 'src/schemas')
    mkdirSync(folder, { recursive: true })
    const names = [...readFileSync(`${built}.d.ts`, 'utf8').matchAll(/^export (?:type|interface) (\w+)/gm)].map(
      ([, name]) => name,
    )
    const written = [...readFileSync(`${source}.ts`, 'utf8').matchAll(/^export (?:type|interface) (\w+)/gm)].map(
      ([, name]) => name,
    )
    expect(names).toEqual(written)
    const checks = names.map((name) => `export const ${name}: Same<Built.${name}, Source.${name}> = true`)
    writeFileSync(
      join(folder, 'same.ts'),
      [
        `import type * as Built from '${built}.js'`,
        `import type * as Source from '${source}.ts'`,
        'type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : { missing: Exclude<keyof B, keyof A> }) : { differs: A }',
        ...checks,
      ].join('\n'),
    )
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2023',
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      customConditions: ['touchstone:source'],
      types: ['node'],
      typeRoots: [join(repository, 'node_modules/@types')],
      skipLibCheck: true,
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['same.ts'] }))
    expect(compile(folder)).toBe('')
  }, 120_000)
})

/** What the compiler prints about the project in a folder. */
function compile(folder: string): string {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  try {
    return execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
  } catch (error) {
    return String((error as { stdout?: string }).stdout)
  }
}

/** Runs a script in the user's project, in a process that knows nothing of this repository's conditions. */
function run(script: string): string {
  const file = join(project, 'script.mjs')
  writeFileSync(
    file,
    `import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\n${script}`,
  )
  return execFileSync(process.execPath, [file], { encoding: 'utf8', env: {} })
}

async function bundle(entry: string) {
  return await build({
    stdin: { contents: `export * from ${JSON.stringify(nameOf(entry))}`, resolveDir: project },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    external: runners,
    platform: 'browser',
    logLevel: 'silent',
  })
}
