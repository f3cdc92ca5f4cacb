import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { openClickHouse } from '../storage/analytics/clickhouse.ts'
import type { Analytics } from '../storage/analytics/port.ts'
import type { Sql } from '../storage/analytics/sql.ts'
import { openFrontEngine } from './clickhouse-front/front-engine.ts'
import { createFront } from './clickhouse-front/front-server.ts'

/** Whether the reads of the embedded column store are sent over HTTP too; `npm test` sets it. */
export const isMirrored = process.env.TOUCHSTONE_TEST_HTTP_MIRROR === 'on'

/** Statements that were compared, with the shapes of their parameters. The files of one worker share it. */
const compared = new Set<string>()

/**
 * How many statements of one file are compared. Only suites that invent statements, such as random filters, have more; what
 * they prove about the engine does not depend on the driver.
 */
const MAX_PER_FILE = 250
let remaining = MAX_PER_FILE

/** What differed since the last call of `takeDifferences`. */
let differences: string[] = []

/** Returns what differed over HTTP since the last call. */
export function takeDifferences(): readonly string[] {
  const found = differences
  differences = []
  return found
}

/** At the end of a file: returns how many statements it has compared. */
export function takeComparedCount(): number {
  const count = MAX_PER_FILE - remaining
  remaining = MAX_PER_FILE
  return count
}

/**
 * The same column store; sends each read also through the driver for servers of ClickHouse, to a server in this process
 * in front of the same data.
 */
export async function mirrorOverHttp(embedded: Analytics, directory: string): Promise<Analytics> {
  const front = createFront(await openFrontEngine(directory))
  front.listen(0, '127.0.0.1').unref()
  await once(front, 'listening')
  const overHttp = await openClickHouse(`http://127.0.0.1:${(front.address() as AddressInfo).port}/default`)
  return {
    ...compareReads(embedded, overHttp),
    async close() {
      await overHttp.close()
      front.close()
      await embedded.close()
    },
  }
}

/**
 * The same column store; sends each read to another driver too, once for each statement and shape of its parameters.
 * Both must have the same rows, or fail with the same error. What differs is kept for `takeDifferences`, because an app
 * would turn an error into a response.
 */
export function compareReads(embedded: Analytics, overHttp: Analytics): Analytics {
  async function read<Result>(name: string, statement: Sql, send: Send<Result>, rowsOf: RowsOf<Result>) {
    const key = `${name} ${describeShape(statement)}`
    if (remaining <= 0 || compared.has(key)) return send(embedded)
    const first = await settle(send(embedded))
    if (!isLimit(first)) {
      compared.add(key)
      remaining--
      const difference = await compare(first, { embedded, overHttp, statement, send, rowsOf })
      if (difference !== undefined) differences.push(difference)
    }
    if ('error' in first) throw first.error
    return first.result
  }

  return {
    ...embedded,
    async query(statement, row) {
      // A decoder changes the row that it is given.
      const decode = (raw: Readonly<Record<string, unknown>>) => ({ json: JSON.stringify(raw), row: row(raw) })
      const rows = await read('query', statement, (analytics) => analytics.query(statement, decode), same)
      return rows.map(({ row }) => row)
    },
    queryTexts: (statement) => read('queryTexts', statement, (analytics) => analytics.queryTexts(statement), same),
    queryTable: (statement, settings, limits) =>
      read(
        `queryTable ${Object.keys(settings)}`,
        statement,
        (analytics) => analytics.queryTable(statement, settings, limits),
        ({ names, types, rows }) => [{ names, types }, ...rows],
      ),
  }
}

type Send<Result> = (analytics: Analytics) => Promise<Result>
type RowsOf<Result> = (result: Result) => readonly unknown[]
type Settled<Result> = { readonly result: Result } | { readonly error: unknown }

interface Comparison<Result> {
  readonly embedded: Analytics
  readonly overHttp: Analytics
  readonly statement: Sql
  readonly send: Send<Result>
  readonly rowsOf: RowsOf<Result>
}

/** How often both are read: rows may be written, and time passes, between two reads. */
const READS = 3

/** @returns both results when they differ */
async function compare<Result>(
  first: Settled<Result>,
  { embedded, overHttp, statement, send, rowsOf }: Comparison<Result>,
): Promise<string | undefined> {
  const isOrdered = hasOrder(statement.text)
  let expected = toComparable(first, rowsOf, isOrdered)
  let found: unknown
  for (let reads = 1; ; reads++) {
    found = toComparable(await settle(send(overHttp)), rowsOf, isOrdered)
    if (isDeepStrictEqual(found, expected)) return undefined
    if (reads === READS) break
    expected = toComparable(await settle(send(embedded)), rowsOf, isOrdered)
  }
  return [
    'The driver for servers of ClickHouse reads something else than the embedded engine.',
    `Statement: ${statement.text}`,
    `Parameters: ${print(statement.params)}`,
    `Embedded: ${print(expected)}`,
    `Over HTTP: ${print(found)}`,
  ].join('\n')
}

async function settle<Result>(work: Promise<Result>): Promise<Settled<Result>> {
  try {
    return { result: await work }
  } catch (error) {
    return { error }
  }
}

function toComparable<Result>(settled: Settled<Result>, rowsOf: RowsOf<Result>, isOrdered: boolean): unknown {
  if ('error' in settled) {
    const { code, message } = settled.error as { code?: unknown; message?: unknown }
    return { code, message }
  }
  const rows = rowsOf(settled.result)
  return isOrdered ? rows : rows.toSorted((one, other) => (print(one) < print(other) ? -1 : 1))
}

const same = <Row>(rows: readonly Row[]) => rows

/** Limits of time and memory, which a second read would take again, or might not exceed. */
const LIMITS = new Set(['159', '160', '241'])

const isLimit = (settled: Settled<unknown>) =>
  'error' in settled && LIMITS.has(String((settled.error as { code?: unknown }).code))

/** Whether the rows of a statement have an order: `order by` outside of parentheses. */
function hasOrder(text: string): boolean {
  let depth = 0
  for (const [token] of text.matchAll(/[()]|\border by\b/gi)) {
    if (token === '(') depth++
    else if (token === ')') depth--
    else if (depth === 0) return true
  }
  return false
}

/** The text of a statement without ids, and the kinds of its parameters: a driver prints each kind in another way. */
function describeShape({ text, params }: Sql): string {
  const kinds = Object.values(params).map(describeValue)
  return `${text.replaceAll(UUID, 'uuid')} ${kinds}`
}

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(describeValue))].sort()}]`
  if (typeof value !== 'string') return typeof value
  const special = [/[\\']/, /\p{Cc}/u, /[^\p{ASCII}]/u].map((kind) => (kind.test(value) ? 1 : 0))
  return value === '' ? 'empty' : `text${special.join('')}`
}

const print = (value: unknown) => JSON.stringify(value) ?? String(value)
