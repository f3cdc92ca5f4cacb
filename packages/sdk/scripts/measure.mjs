// Prints what `@touchstone/sdk` costs: size, import time, a traced call, the longest stall. Run after `npm run build`.
import { execFileSync, spawn } from 'node:child_process'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const dist = new URL('../dist/', import.meta.url)
const rows = []

for (const entry of ['index', 'traceable', 'run-trees', 'client', 'singletons/traceable']) {
  const { outputFiles } = await build({
    entryPoints: [new URL(`${entry}.js`, dist).pathname],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
  })
  const bytes = outputFiles[0].contents
  rows.push([`${entry}, minified / gzip`, `${kb(bytes.length)} / ${kb(gzipSync(bytes).length)} kB`])
}

for (const entry of ['index', 'traceable']) {
  const script = `const t = performance.now(); await import(${JSON.stringify(new URL(`${entry}.js`, dist).href)}); console.log(performance.now() - t)`
  const times = Array.from({ length: 7 }, () =>
    Number(execFileSync(process.execPath, ['--input-type=module', '-e', script]).toString()),
  )
  rows.push([`import of ${entry}, median of 7`, `${median(times).toFixed(1)} ms`])
}

const { Client } = await import(new URL('index.js', dist).href)
const { traceable } = await import(new URL('traceable.js', dist).href)

// The server is a process of its own: what it costs is not the client's.
const SERVER = `
  require('node:http')
    .createServer((request, response) => request.resume().on('end', () => response.writeHead(202).end('{}')))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port) })
`
const server = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] })
const port = await new Promise((resolve) => server.stdout.once('data', (text) => resolve(Number(text))))
const client = new Client({ apiUrl: `http://127.0.0.1:${port}/api/v1`, apiKey: 'k' })

const plain = async (value) => value
await perCall('plain async call', plain, 200_000)
await perCall('traced call, tracing off', traceable(plain), 200_000)
await perCall('traced call, tiny payload', traceable(plain, { client, tracingEnabled: true }), 20_000, { cpu: true })
const medium = {
  text: 'x'.repeat(500),
  list: Array.from({ length: 500 }, (_, id) => ({ id, text: 'lorem ipsum dolor' })),
}
await perCall('traced call, 25 kB in and out', traceable(plain, { client, tracingEnabled: true }), 2_000, {
  cpu: true,
  value: medium,
})
await stall('100 concurrent calls of 1 MB text', 'x'.repeat(1024 * 1024))
await stall(
  '100 concurrent calls of 1 MB of objects',
  Array.from({ length: 20_000 }, (_, id) => ({ id, text: 'lorem ipsum dolor sit amet' })),
)

server.kill()
for (const [what, figure] of rows) console.log(what.padEnd(46), figure)

async function perCall(what, fn, count, { cpu = false, value = { q: 'why' } } = {}) {
  for (let i = 0; i < Math.min(count, 2_000); i++) await fn(value)
  await client.flush()
  const start = process.cpuUsage()
  const from = performance.now()
  for (let i = 0; i < count; i++) await fn(value)
  const wall = ((performance.now() - from) * 1000) / count
  if (cpu) await client.flush()
  const { user, system } = process.cpuUsage(start)
  const all = cpu ? `, ${((user + system) / count).toFixed(1)} µs CPU with serialising and sending` : ''
  rows.push([what, `${wall.toFixed(2)} µs${all}`])
}

async function stall(what, value) {
  const fn = traceable(
    async (input) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return { input }
    },
    { client, tracingEnabled: true },
  )
  await fn({ value })
  await client.flush()
  await new Promise((resolve) => setTimeout(resolve, 200))
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await Promise.all(Array.from({ length: 100 }, () => fn({ value })))
  await client.flush()
  delay.disable()
  rows.push([`${what}: longest stall`, `${(delay.max / 1e6).toFixed(1)} ms`])
}

function median(numbers) {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
}

function kb(bytes) {
  return (bytes / 1000).toFixed(1)
}
