/**
 * `npm run bench sdk`: the cost of tracing in a program, for our SDK and the published `langsmith` package in the same
 * run. Every figure comes from a new process; the receiver is a local server in its own process.
 */
import { execFileSync, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { percentile, printTable } from './support/figures.ts'

const PACKAGES = { '@touchstone/sdk': '@touchstone/sdk/traceable', langsmith: 'langsmith/traceable' } as const
const here = fileURLToPath(new URL('.', import.meta.url))
const measureScript = fileURLToPath(new URL('./support/measure-sdk.mjs', import.meta.url))

const receiver = fork(fileURLToPath(new URL('./support/receive-traces.mjs', import.meta.url)), { execArgv: [] })
const port = await new Promise<number>((resolve) => receiver.once('message', (message) => resolve(message as number)))
try {
  const rows: (string | number)[][] = []
  for (const [name, entry] of Object.entries(PACKAGES)) {
    const off = measure(entry, 'off')
    const on = measure(entry, 'on')
    const large = measure(entry, 'large')
    rows.push([
      name,
      await bundledKilobytes(entry),
      importMs(entry),
      off.us,
      on.us,
      on.stall,
      large.us / 1000,
      large.stall,
    ])
  }
  printTable(
    [
      'sdk, entry ./traceable',
      'gzip kB',
      'import ms',
      'off us/call',
      'on us/run',
      'on stall ms',
      '1 MB ms/run',
      '1 MB stall ms',
    ],
    rows,
  )
} finally {
  receiver.kill()
}

/** Minified, with all dependencies, without Node's own modules. */
async function bundledKilobytes(entry: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from ${JSON.stringify(entry)}`, resolveDir: here },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  })
  return gzipSync(outputFiles[0]!.contents).length / 1000
}

/** Median of eleven cold processes, measured around the import. */
function importMs(entry: string): number {
  return percentile(
    Array.from({ length: 11 }, () => measure(entry, 'import').ms),
    0.5,
  )
}

function measure(entry: string, what: 'import' | 'off' | 'on' | 'large'): Record<'ms' | 'us' | 'stall', number> {
  const printed = execFileSync(process.execPath, [measureScript, entry, what], {
    cwd: here,
    env: {
      PATH: process.env.PATH,
      LANGSMITH_TRACING: String(what === 'on' || what === 'large'),
      LANGSMITH_ENDPOINT: `http://127.0.0.1:${port}`,
      LANGSMITH_API_KEY: 'bench',
    },
  })
  return JSON.parse(printed.toString()) as Record<'ms' | 'us' | 'stall', number>
}
