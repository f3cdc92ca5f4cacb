import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Packages resolve to their sources, so a test never sees a stale build.
const resolve = { conditions: ['touchstone:source', 'node'] }
const ssr = { resolve: { conditions: resolve.conditions, externalConditions: ['touchstone:source'] } }

/** Whether this is `npm run test:full`. */
const isFull = process.env.TOUCHSTONE_JOURNEYS === 'full'

// Tests wait for engines, other programs and pages, so that two files at once leave a fifth of two cores idle.
const maxWorkers = Math.max(3, availableParallelism())

// A poll ends as soon as its condition holds; only a condition that never holds takes this long.
const patience = { poll: { timeout: 20_000 } }
/**
 * V8 of Node 20 optimizes a function after about 70 kB of bytecode, which most functions of a test file reach only once: with
 * this budget the workers of a few files of the server take a tenth less CPU time.
 */
const execArgv = ['--interrupt-budget=300000']
const unit = {
  pool: 'forks' as const,
  execArgv,
  maxWorkers,
  testTimeout: 30_000,
  hookTimeout: 60_000,
  expect: patience,
}
const tests = ['src/**/*.test.{ts,tsx}', 'test/**/*.test.{ts,tsx}']

// One process may open one chDB directory in its life. These open their own, so each needs a process of its own.
const ownEngine = [
  'src/storage/analytics/**/*.test.ts',
  'src/lifecycle/sweep/erase-rows.test.ts',
  'src/ingest/commit/outage/*.test.ts',
  'src/ingest/otlp/large-trace.test.ts',
]
// These start the built server.
const built = ['src/start/start.test.ts']
const build = '../../e2e/support/insist-on-build.ts'
// These read the package as it is published.
const published = ['test/package.test.ts', 'test/reference.test.ts']

/** Test files below a package's `src` that contain one of some texts. */
function findTests(root: string, ...texts: string[]): string[] {
  const path = join(import.meta.dirname, root)
  return readdirSync(join(path, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => join('src', name))
    .filter((name) => texts.some((text) => readFileSync(join(path, name), 'utf8').includes(text)))
}

// In a worker that shares modules, a file that replaces one changes it for the files after it, or comes too late.
const web = 'packages/web'
const replacing = findTests(web, '\nvi.mock(')
// Files share a worker only when they have the same environment, so each environment is a project.
const ofBrowser = findTests(web, '// @vitest-environment happy-dom').filter((name) => !replacing.includes(name))

// Files that change what belongs to the process, or count the hooks that a module adds to it.
const sdk = 'packages/sdk'
const ofProcess = findTests(
  sdk,
  'vi.mock(',
  'process.env.',
  'vi.stub',
  'vi.spyOn(console',
  'vi.useFakeTimers',
  'process.listener',
)

// Many tests sign in; suites of `e2e` without `quickPasswords` hash passwords as the product does.
const quickPasswords = isFull ? [] : [`--require=${join(import.meta.dirname, 'e2e/support/quick-passwords.cjs')}`]

const server = {
  ...unit,
  // The embedded PostgreSQL, as in `main.cts` of the server: V8 optimizes its functions later.
  execArgv: [...execArgv, '--wasm-tiering-budget=1000000000', ...quickPasswords],
  root: 'packages/server',
  globalSetup: ['src/testing/pglite-template.ts', 'src/testing/postgres-template.ts'],
}

// What the server does differently in front of ClickHouse runs a second time, against ClickHouse over HTTP: writes, deletions,
// limits of statements, and what needs a store that reports changes. The reads of the other features are compared over
// HTTP where they run (`http-mirror.ts`); with test:full their suites run a second time too.
const differently = [
  'src/ingest/*.test.ts',
  'src/ingest/receipts/*.test.ts',
  'src/lifecycle/**/*.test.ts',
  'src/features/{projects/usage,runs/query-runs,sql/sql}.test.ts',
]
// These do not reach the engine.
const withoutEngine = ['src/ingest/{merge-run,usage}.test.ts']
const overHttp = {
  ...server,
  name: 'server-clickhouse',
  include: isFull ? ['src/{ingest,features,lifecycle}/**/*.test.ts'] : differently,
  exclude: [...ownEngine, ...built, ...(isFull ? [] : withoutEngine)],
  isolate: false,
  // Each statement is a request to another process.
  testTimeout: 120_000,
  hookTimeout: 240_000,
  env: { TOUCHSTONE_TEST_ANALYTICS: 'clickhouse' },
}

const units = [
  { ...unit, name: 'formats', root: 'packages/formats', include: tests, isolate: false },
  { ...unit, name: 'contract', root: 'packages/contract', include: tests, isolate: false },
  { ...unit, name: 'sdk', root: sdk, include: tests, exclude: [...published, ...ofProcess], isolate: false },
  { ...unit, name: 'sdk-process', root: sdk, include: ofProcess },
  { ...unit, name: 'sdk-package', root: sdk, include: published, globalSetup: [build] },
  // Loading the server takes longer than most of its test files, so the files of one worker share its modules.
  {
    ...server,
    name: 'server',
    include: tests,
    exclude: [...ownEngine, ...built],
    isolate: false,
    setupFiles: ['src/testing/end-of-file.ts'],
  },
  { ...server, name: 'server-engine', include: ownEngine },
  ...(process.env.TOUCHSTONE_TEST_CLICKHOUSE_URL ? [overHttp] : []),
  { ...unit, name: 'server-start', root: 'packages/server', include: built, globalSetup: [build] },
  // Its tests run the built CLI against the built server.
  {
    ...unit,
    name: 'cli',
    root: 'packages/cli',
    include: tests,
    isolate: false,
    globalSetup: [build, '../../e2e/support/open-once.ts', '../../e2e/support/shared-servers.ts'],
  },
  { ...unit, name: 'web', root: web, include: tests, exclude: [...replacing, ...ofBrowser], isolate: false },
  {
    ...unit,
    name: 'web-components',
    root: web,
    include: ofBrowser,
    isolate: false,
    setupFiles: ['src/ui/testing/each-file.ts'],
  },
  { ...unit, name: 'web-mocks', root: web, include: replacing, setupFiles: ['src/ui/testing/each-file.ts'] },
  { ...unit, name: 'scripts', include: ['scripts/**/*.test.ts'] },
]

// Full journeys compare times with budgets, so nothing else may run beside them. Each over large data has a suite over little
// data that runs with each change (`e2e/web/README.md`); `npm run journeys` runs them with a tenth of the data.
const journeys = ['e2e/web/journeys/*.test.ts']
const large = ['e2e/web/journeys/{bulk,comparison,examples,filters,json,monitor,playground,runs-table}.test.ts']
const others = isFull ? journeys : process.env.TOUCHSTONE_JOURNEYS === 'small' ? [] : large
// Programs and pages wait more than units do: with three at once, an eighth of two cores is idle.
const workersOfPrograms = maxWorkers + 1
const browsers = ['e2e/web/**/*.test.ts']

const e2e = {
  globalSetup: [
    'e2e/support/insist-on-build.ts',
    'e2e/support/open-once.ts',
    'e2e/support/budgets.ts',
    'e2e/support/count-checks.ts',
    'e2e/support/shared-servers.ts',
  ],
  pool: 'forks' as const,
  execArgv,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: patience,
}

const suites = [
  ...units,
  {
    ...e2e,
    name: 'e2e',
    include: ['e2e/**/*.test.ts'],
    exclude: browsers,
    maxWorkers: workersOfPrograms,
    sequence: { groupOrder: 1 },
  },
  {
    ...e2e,
    name: 'e2e-web',
    include: browsers,
    exclude: others,
    // Starting a process and loading Playwright and the sources of the clients takes a second of each file.
    isolate: false,
    maxWorkers: workersOfPrograms,
    sequence: { groupOrder: 2 },
  },
  ...(isFull ? [{ ...e2e, name: 'e2e-alone', include: journeys, maxWorkers: 1, sequence: { groupOrder: 3 } }] : []),
]

export default defineConfig({ test: { projects: suites.map((test) => ({ resolve, ssr, test })) } })
