import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

// Everything is taken in, so that the program starts fast and installs without dependencies.
const here = fileURLToPath(new URL('..', import.meta.url))
rmSync(`${here}/dist`, { recursive: true, force: true })
await build({
  absWorkingDir: here,
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  conditions: ['touchstone:source'],
  logLevel: 'warning',
})
