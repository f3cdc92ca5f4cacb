import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Packages resolve to their sources, so a test never sees a stale build.
const resolve = { conditions: ['touchstone:source', 'module', 'node'] }
const ssr = { resolve: { conditions: resolve.conditions, externalConditions: ['touchstone:source'] } }

// What waits for engines and browsers most of its time leaves a core idle; Vitest's default on two cores is one worker.
const maxWorkers = Math.max(2, availableParallelism() - 1)

const packages = ['contract', 'sdk', 'server', 'cli', 'web'].map((name) => ({
  resolve,
  ssr,
  test: {
    name,
    root: `packages/${name}`,
    ...(name === 'server' && { globalSetup: ['src/testing/pglite-template.ts'] }),
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.{ts,tsx}'],
    pool: 'forks' as const,
    maxWorkers,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
}))

// These measure waits, frames and memory, fill disks or kill servers: nothing else may run beside them.
const alone = [
  'e2e/start.test.ts',
  'e2e/{durability,hostile}/**/*.test.ts',
  'e2e/attack/alone-*.test.ts',
  'e2e/web/journeys/*.test.ts',
]
// A browser beside its server: two at a time, since each waits for the other half of the time.
const browsers = ['e2e/web/*.test.ts']

const e2e = {
  globalSetup: ['e2e/support/insist-on-build.ts', 'e2e/support/open-once.ts', 'e2e/support/budgets.ts'],
  pool: 'forks' as const,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // What is waited for comes as soon as it can; only what never comes takes this long.
  expect: { poll: { timeout: 20_000 } },
  // A browser, a server and two engines share the two cores of a CI machine with whatever else runs there. What
  // fails twice is broken; what fails once is printed as retried, and is a bug to look for.
  retry: process.env.CI ? 1 : 0,
}

export default defineConfig({
  test: {
    projects: [
      ...packages,
      { resolve, ssr, test: { name: 'scripts', maxWorkers, include: ['scripts/**/*.test.ts'] } },
      {
        resolve,
        ssr,
        test: {
          ...e2e,
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: [...alone, ...browsers],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        resolve,
        ssr,
        test: { ...e2e, name: 'e2e-web', include: browsers, maxWorkers: 2, sequence: { groupOrder: 2 } },
      },
      {
        resolve,
        ssr,
        test: { ...e2e, name: 'e2e-alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 3 } },
      },
    ],
  },
})
