import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFrontEngine } from './front-engine.ts'
import { createFront } from './front-server.ts'

// A program that speaks the HTTP interface of ClickHouse in front of chDB, for tests of the driver for servers: no
// server of ClickHouse is in a package registry. Prints its address; its data is removed with it.
const directory = mkdtempSync(join(tmpdir(), 'touchstone-clickhouse-'))
process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(0))

const server = createFront(await openFrontEngine(directory))
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  console.log(`Running on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
