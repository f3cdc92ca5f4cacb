import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
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

await writeEmptyCluster(`${here}/dist/empty-cluster`)

/**
 * An empty cluster of the embedded PostgreSQL, which the server copies at its first start. Folders are listed, because
 * a package does not keep the empty ones.
 */
async function writeEmptyCluster(to) {
  const cluster = mkdtempSync(join(tmpdir(), 'touchstone-cluster-'))
  const client = await PGlite.create(cluster)
  await client.close()
  const entries = readdirSync(cluster, { withFileTypes: true, recursive: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
  mkdirSync(to, { recursive: true })
  await cp(cluster, `${to}/files`, { recursive: true })
  rmSync(`${to}/files/postmaster.pid`, { force: true })
  writeFileSync(`${to}/folders.json`, JSON.stringify(folders.map((folder) => folder.slice(cluster.length + 1)).sort()))
  rmSync(cluster, { recursive: true })
}

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
