/**
 * Stands for ClickHouse in the benchmark of several processes, in its own process: takes as much of the HTTP interface as
 * the server needs to start and to ingest. It counts the rows of inserts and discards them, and answers each select with no
 * rows, as an empty database does. Prepared for `fork`: sends its address, then the rows so far for every message.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Rows that were inserted, by table. */
export type RowsByTable = Readonly<Record<string, number>>

const rows: Record<string, number> = {}

/** An answer without rows in the form that `splitRows` of the server reads. */
const NO_ROWS = '[\n\n]\n'
const NEW_LINE = 0x0a

const server = createServer((request, response) => {
  // Statements with rows stand in the URL, others in the body, which is not needed to answer them.
  const statement = new URL(request.url ?? '/', 'http://sink').searchParams.get('query') ?? ''
  const table = /^\s*insert into (\w+) format/i.exec(statement)?.[1]
  if (table === undefined) return answerAtEnd(request, response, NO_ROWS)
  // Rows are JSON texts with a new line between two of them.
  let count = 1
  request.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(NEW_LINE); at !== -1; at = chunk.indexOf(NEW_LINE, at + 1)) count += 1
  })
  request.on('end', () => {
    rows[table] = (rows[table] ?? 0) + count
  })
  answerAtEnd(request, response, '')
})

function answerAtEnd(request: IncomingMessage, response: ServerResponse, answer: string): void {
  request.resume()
  request.on('end', () => response.end(answer))
}

// The server keeps its connections; closing one that it is about to use would fail an insert.
server.keepAliveTimeout = 0
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/bench`)
})
process.on('message', () => process.send?.(rows))
process.on('disconnect', () => process.exit())
