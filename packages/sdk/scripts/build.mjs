// Builds `dist/`: code-split ESM and the same chunks as CommonJS, each with its own declarations.
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { rolldown } from 'rolldown'
import { printTypes } from './print-types.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')

const ENTRIES = {
  index: 'src/index.ts',
  client: 'src/client.ts',
  api: 'src/api.ts',
  'run-trees': 'src/run-trees.ts',
  traceable: 'src/traceable.ts',
  'singletons/traceable': 'src/singletons/traceable.ts',
  schemas: 'src/schemas.ts',
  anonymizer: 'src/anonymizer.ts',
  wrappers: 'src/wrappers.ts',
  'wrappers/openai': 'src/wrappers/openai.ts',
  'wrappers/anthropic': 'src/wrappers/anthropic.ts',
  'wrappers/gemini': 'src/wrappers/gemini.ts',
  'wrappers/vercel': 'src/wrappers/vercel.ts',
  'wrappers/openai-agents': 'src/wrappers/openai-agents.ts',
  'wrappers/claude-agent-sdk': 'src/wrappers/claude-agent-sdk.ts',
  otel: 'src/otel.ts',
  evaluation: 'src/evaluation.ts',
  prompts: 'src/prompts.ts',
  vitest: 'src/vitest.ts',
  'vitest/reporter': 'src/vitest/reporter.ts',
  jest: 'src/jest.ts',
  'jest/reporter': 'src/jest/reporter.ts',
  'utils/jestlike': 'src/utils/jestlike.ts',
}

await rm(dist, { recursive: true, force: true })
await buildModules()
await buildCommonJs()
await emitDeclarations()
await finishDeclarations()

async function buildModules() {
  const bundle = await bundleEntries(ENTRIES)
  await bundle.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups: await groupTracingModules() },
    comments: { jsdoc: false },
    // Stack traces show the names of the sources.
    minifyInternalExports: false,
  })
  await bundle.close()
}

function bundleEntries(input, options = {}) {
  return rolldown({
    input,
    cwd: root,
    // The routes of the contract are bundled from its sources.
    resolve: { conditionNames: ['touchstone:source', 'import'] },
    // Two entry points are for these test runners, so their users have them installed.
    external: ['vitest', 'vitest/node', '@jest/globals', '@jest/reporters'],
    platform: 'neutral',
    preserveEntrySignatures: 'strict',
    transform: { target: 'es2022' },
    ...options,
  })
}

/**
 * The modules of `./traceable` in few files, because each file costs an import more than half a millisecond. There is one group for each
 * entry that loads a part of them, so that no entry loads the rest.
 */
async function groupTracingModules() {
  const traced = await findModules(['traceable'], { treeshake: true })
  const parts = { base: ['prompts', 'vitest/reporter', 'jest/reporter'], transport: ['api'], sending: ['client'] }
  const groups = []
  for (const [name, entries] of Object.entries(parts)) {
    const loaded = await findModules(entries, { treeshake: false })
    groups.push({ name, test: (id) => traced.has(id) && loaded.has(id) })
  }
  // A module belongs to the first group that accepts it.
  return [...groups, { name: 'tracing', test: (id) => traced.has(id) }]
}

async function findModules(entries, options) {
  const bundle = await bundleEntries(
    entries.map((entry) => ENTRIES[entry]),
    options,
  )
  const { output } = await bundle.generate()
  await bundle.close()
  return new Set(output.flatMap((chunk) => chunk.moduleIds))
}

/** From the finished chunks, not from the sources: all CommonJS entries must share one copy of each class. */
async function buildCommonJs() {
  for (const file of await filesBelow(dist, '.js')) {
    const { code } = await transform(await readFile(file, 'utf8'), { format: 'cjs', target: 'es2022' })
    const target = join(dist, 'cjs', relative(dist, file).replace(/\.js$/, '.cjs'))
    await write(target, code.replace(/(require\("\.[^"]*)\.js"\)/g, '$1.cjs")'))
  }
}

async function emitDeclarations() {
  const tsc = join(root, '../../node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', dist], { stdio: 'inherit' })
  // The types of the API are aliases of the contract's, which users do not have.
  const types = printTypes(join(root, 'tsconfig.build.json'), join(root, 'src/schemas.ts'))
  await writeFile(join(dist, 'schemas.d.ts'), types)
}

/** Declarations name their neighbours by source file; consumers need the names of the built ones. */
async function finishDeclarations() {
  for (const file of await filesBelow(dist, '.d.ts')) {
    const text = await readFile(file, 'utf8')
    const renamed = (extension) => text.replace(/((?:from|import\()\s*['"]\.[^'"]*)\.ts(['"])/g, `$1.${extension}$2`)
    await write(file, renamed('js'))
    await write(join(dist, 'cjs', relative(dist, file).replace(/\.d\.ts$/, '.d.cts')), renamed('cjs'))
  }
}

async function filesBelow(folder, ending) {
  const names = await readdir(folder, { recursive: true })
  return names.filter((name) => name.endsWith(ending)).map((name) => join(folder, name))
}

async function write(path, text) {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
