import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { findFreePort } from '../testing/find-free-port.ts'
import { openClickHouse } from './analytics/clickhouse.ts'
import { openPostgres } from './relational/postgres.ts'

const postgres = process.env.TOUCHSTONE_TEST_POSTGRES_URL

const messageOf = (opening: Promise<unknown>) =>
  opening.then(
    () => 'opened',
    (error: Error) => error.message,
  )
const usePostgres = (url: string) => messageOf(openPostgres(url, () => undefined))

describe('PostgreSQL that cannot be used', () => {
  it('is named with its address and its setting, without the password', async () => {
    const port = await findFreePort()
    expect(await usePostgres(`postgres://ada:secret@127.0.0.1:${port}/runs`)).toBe(
      `PostgreSQL at 127.0.0.1:${port} cannot be used: nothing is listening there. Start it, or correct the address ` +
        '(TOUCHSTONE_POSTGRES_URL).',
    )
    expect(await usePostgres('postgres://ada:secret@nowhere.invalid/runs')).toMatch(
      /^PostgreSQL at nowhere\.invalid cannot be used: the name of the host (is not known|could not be looked up)\./,
    )
  })

  it.skipIf(postgres === undefined)('is named with the user or database that it refuses', async () => {
    const { host } = new URL(postgres!)
    expect(await usePostgres(`postgres://stranger@${host}/postgres`)).toBe(
      `PostgreSQL at ${host} refused the user "stranger". Correct the user and password in TOUCHSTONE_POSTGRES_URL.`,
    )
    expect(await usePostgres(`${postgres!.replace(/\/[^/]*$/, '')}/missing`)).toBe(
      `PostgreSQL at ${host} has no database "missing". Create it, or correct TOUCHSTONE_POSTGRES_URL.`,
    )
  })
})

describe('ClickHouse that cannot be used', () => {
  it('is named with its address and its setting, without the password', async () => {
    const port = await findFreePort()
    expect(await messageOf(openClickHouse(`http://ada:secret@127.0.0.1:${port}/runs`))).toBe(
      `ClickHouse at 127.0.0.1:${port} cannot be used: nothing is listening there. Start it, or correct the address ` +
        '(TOUCHSTONE_CLICKHOUSE_URL).',
    )
  })

  it.each([
    [
      516,
      'AUTHENTICATION_FAILED',
      'refused the user "ada". Correct the user and password in TOUCHSTONE_CLICKHOUSE_URL.',
    ],
    [81, 'UNKNOWN_DATABASE', 'has no database "runs". Create it, or correct TOUCHSTONE_CLICKHOUSE_URL.'],
  ])('is named with the user or database that it refuses: %i', async (code, type, end) => {
    const server = createHttpServer((request, response) => {
      request.resume()
      response.writeHead(code === 516 ? 403 : 404, { 'x-clickhouse-exception-code': String(code) })
      response.end(`Code: ${code}. DB::Exception: refused. (${type}) (version 26.2.1)`)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(await messageOf(openClickHouse(`http://ada:secret@127.0.0.1:${port}/runs`))).toBe(
      `ClickHouse at 127.0.0.1:${port} ${end}`,
    )
    server.close()
  })
})
