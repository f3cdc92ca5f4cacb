import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { OUTSIDE } from './outside.mjs'

const here = fileURLToPath(new URL('..', import.meta.url))
rmSync(`${here}/dist`, { recursive: true, force: true })
const shared = {
  absWorkingDir: here,
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
}

// One file per entry, with its npm packages: as hundreds of files they take half a second more to load.
await build({
  ...shared,
  entryPoints: {
    start: 'src/start/start.ts',
    index: 'src/index.ts',
    'watchdog-thread': 'src/watchdog/watchdog-thread.ts',
    'sandbox-thread': 'src/features/evaluators/sandbox/sandbox-thread.ts',
    'statement-child': 'src/storage/analytics/statements/statement-child.ts',
    'prepare-data': 'src/start/prepare-data.ts',
  },
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  conditions: ['touchstone:source'],
  external: [...OUTSIDE, ...OUTSIDE.map((name) => `${name}/*`), 'pg-native'],
  // Packages in CommonJS load built-in modules by `require`.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
})

// The program, which loads the module above.
await build({
  ...shared,
  entryPoints: { main: 'src/main.cts' },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  plugins: [
    {
      name: 'start',
      setup: ({ onResolve }) => onResolve({ filter: /\/start\.ts$/ }, () => ({ path: './start.js', external: true })),
    },
  ],
})

// The stores of a new server, which the first start unpacks.
const { prepareData } = await import('../dist/prepare-data.js')
try {
  await prepareData(`${here}/dist/prepared`)
} catch (error) {
  // A server that uses PostgreSQL and ClickHouse is built on a machine without the embedded engine, too.
  if (error.name !== 'UnreachableEngineError') throw error
  console.warn(error.message)
}
