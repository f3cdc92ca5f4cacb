import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

// One file per entry: our own packages are taken in, npm packages stay outside (the engines bring native code and wasm).
const here = fileURLToPath(new URL('..', import.meta.url))
rmSync(`${here}/dist`, { recursive: true, force: true })
await build({
  absWorkingDir: here,
  entryPoints: {
    main: 'src/main.ts',
    index: 'src/index.ts',
    'watchdog-thread': 'src/watchdog/watchdog-thread.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  conditions: ['touchstone:source'],
  plugins: [keepNpmPackagesOutside()],
  sourcemap: true,
  logLevel: 'warning',
})

function keepNpmPackagesOutside() {
  return {
    name: 'keep-npm-packages-outside',
    setup({ onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
        kind === 'entry-point' || path.startsWith('@touchstone/') ? undefined : { path, external: true },
      )
    },
  }
}
