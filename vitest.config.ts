import { defineConfig } from 'vitest/config'

// Packages resolve to their sources, so a test never sees a stale build.
const resolve = { conditions: ['touchstone:source', 'module', 'node', 'import', 'default'] }
const ssr = { resolve: { conditions: resolve.conditions, externalConditions: resolve.conditions } }

export default defineConfig({
  test: {
    projects: ['contract', 'sdk', 'server', 'cli', 'web'].map((name) => ({
      resolve,
      ssr,
      test: {
        name,
        root: `packages/${name}`,
        include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
        pool: 'forks' as const,
        testTimeout: 30_000,
        hookTimeout: 60_000,
      },
    })),
  },
})
