import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openClickHouse } from './clickhouse.ts'

/** Commands that the server received, with their settings. */
const commands: { statement: string; settings: URLSearchParams }[] = []

/** A server that accepts everything and has no rows. */
const server = createServer(async (request, response) => {
  const settings = new URL(request.url ?? '', 'http://server').searchParams
  const statement = `${settings.get('query') ?? ''}${await text(request)}`
  if (/^\s*(alter|create|insert)\b/.test(statement)) commands.push({ statement, settings })
  response.end('[\n\n]\n')
})

let url: string
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/runs`
})
afterAll(() => server.close())

describe('a migration on a ClickHouse server', () => {
  it('keeps its connection open, as statements over all traces take long', async () => {
    const analytics = await openClickHouse(url)
    await analytics.close()
    expect(commands.some(({ statement }) => statement.includes('insert into trace_runs'))).toBe(true)
    for (const { settings } of commands) {
      expect(settings.get('send_progress_in_http_headers')).toBe('1')
      expect(Number(settings.get('http_headers_progress_interval_ms'))).toBeLessThan(60_000)
    }
  })
})
