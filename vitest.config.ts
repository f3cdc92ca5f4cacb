import { defineConfig } from 'vitest/config'

// Packages resolve to their sources, so a test never sees a stale build.
const resolve = { conditions: ['touchstone:source', 'module', 'node'] }
const ssr = { resolve: { conditions: resolve.conditions, externalConditions: ['touchstone:source'] } }

const packages = ['contract', 'sdk', 'server', 'cli', 'web'].map((name) => ({
  resolve,
  ssr,
  test: {
    name,
    root: `packages/${name}`,
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.{ts,tsx}'],
    pool: 'forks' as const,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
}))

export default defineConfig({
  test: {
    projects: [
      ...packages,
      { resolve, ssr, test: { name: 'scripts', include: ['scripts/**/*.test.ts'] } },
      {
        resolve,
        ssr,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          globalSetup: ['e2e/support/insist-on-build.ts', 'e2e/support/open-once.ts'],
          pool: 'forks' as const,
          // One server and one browser at a time, after everything else: these tests measure waits and memory.
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // A browser, a server and two engines share the two cores of a CI machine with whatever else runs there. What
          // fails twice is broken; what fails once is printed as retried, and is a bug to look for.
          retry: process.env.CI ? 1 : 0,
        },
      },
    ],
  },
})
