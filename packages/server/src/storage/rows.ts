import { isRecord } from '@touchstone/formats/guards'

/** Decodes the value of one column. @throws TypeError when the value has another type */
export type Column<Value> = (value: unknown) => Value

/** Decodes a row of a query, in place: a row is parsed for its reader alone. @throws TypeError naming the column */
export type RowDecoder<Row> = (row: Readonly<Record<string, unknown>>) => Row

/** The row that a decoder returns. */
export type RowOf<Decoder> = Decoder extends RowDecoder<infer Row> ? Row : never

/** Column name → decoder of its values. */
type Shape = Readonly<Record<string, Column<unknown>>>

/** The row of some columns. */
export type Decoded<Columns extends Shape> = {
  readonly [Name in keyof Columns]: NonNullable<Columns[Name]> extends Column<infer Value> ? Value : never
}

/**
 * Describes the rows of a query by their columns, so that a query and the type of its rows cannot differ unnoticed.
 *
 * @example const runs = await analytics.query(sql`select id, count() as n …`, columns({ id: text, n: count }))
 */
export function columns<Columns extends Shape>(shape: Columns): RowDecoder<Decoded<Columns>> {
  const decoders = Object.entries(shape)
  return (row) => {
    const decoded: Record<string, unknown> = row
    let column = ''
    try {
      for (const [name, decode] of decoders) {
        column = name
        const value = decoded[name]
        const result = decode(value)
        // Most values need no conversion, and a write costs more than the check.
        if (result !== value) decoded[name] = result
      }
    } catch (error) {
      throw error instanceof TypeError ? new TypeError(`Column "${column}" of a query ${error.message}`) : error
    }
    return decoded as Decoded<Columns>
  }
}

/** Those of the columns that a query selects; its rows have no others. */
export function pick<Columns extends Shape, Name extends keyof Columns & string>(
  shape: Columns,
  names: readonly Name[],
): { readonly [Each in Name]?: Columns[Each] } {
  return Object.fromEntries(names.map((name) => [name, shape[name]])) as { readonly [Each in Name]?: Columns[Each] }
}

/** One column for each of the names. */
export function each<const Name extends string, Value>(
  names: readonly Name[],
  column: Column<Value>,
): { readonly [Each in Name]: Column<Value> } {
  return Object.fromEntries(names.map((name) => [name, column])) as { readonly [Each in Name]: Column<Value> }
}

/** Text, UUIDs, times as the engine prints them, and decimals and 64-bit integers whose digits must all be kept. */
export function text(value: unknown): string {
  if (typeof value !== 'string') throw unexpected('text', value)
  return value
}

/** Integers of up to 32 bits and floats. */
export function number(value: unknown): number {
  if (typeof value !== 'number') throw unexpected('a number', value)
  return value
}

/** A 64-bit integer that a double holds exactly, such as a count; the analytics engine prints it as text. */
export function count(value: unknown): number {
  const decoded = typeof value === 'string' && value !== '' ? Number(value) : value
  if (!Number.isInteger(decoded)) throw unexpected('an integer', value)
  return decoded as number
}

/** A number of any type, of which the engine prints some as text (64-bit integers, decimals). */
export function figure(value: unknown): number {
  const decoded = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof decoded !== 'number' || Number.isNaN(decoded)) throw unexpected('a number', value)
  return decoded
}

export function truth(value: unknown): boolean {
  if (typeof value !== 'boolean') throw unexpected('true or false', value)
  return value
}

export function oneOf<const Value extends string>(...values: readonly Value[]): Column<Value> {
  return (value) => {
    const found = values.find((one) => one === value)
    if (found === undefined) throw unexpected(`one of ${values.join(', ')}`, value)
    return found
  }
}

export function nullable<Value>(column: Column<Value>): Column<Value | null> {
  return (value) => (value === null ? null : column(value))
}

export function list<Value>(column: Column<Value>): Column<readonly Value[]> {
  return (value) => {
    if (!Array.isArray(value)) throw unexpected('a list', value)
    for (const [index, one] of value.entries()) value[index] = column(one)
    return value
  }
}

/** A tuple of two values. */
export function pair<First, Second>(first: Column<First>, second: Column<Second>): Column<readonly [First, Second]> {
  return (value) => {
    if (!Array.isArray(value) || value.length !== 2) throw unexpected('a pair', value)
    return [first(value[0]), second(value[1])]
  }
}

/** A tuple with named elements. */
export function elements<Row>(row: RowDecoder<Row>): Column<Row> {
  return (value) => {
    if (!isRecord(value)) throw unexpected('a tuple with names', value)
    return row(value)
  }
}

/** A map or an object with any keys. */
export function record<Value>(column: Column<Value>): Column<Readonly<Record<string, Value>>> {
  return (value) => {
    if (!isRecord(value)) throw unexpected('a map', value)
    // In place: users choose the keys, and in a new object the key `__proto__` would set the prototype.
    const decoded: Record<string, unknown> = value
    for (const key of Object.keys(decoded)) decoded[key] = column(decoded[key])
    return decoded as Readonly<Record<string, Value>>
  }
}

/** Rows of a query for ids. */
export const ID_ROW = columns({ id: text })

/** Rows of a query for one count, `n`. */
export const COUNT_ROW = columns({ n: count })

/** Rows of a query that asks only whether there are any. */
export const ANY_ROW = columns({})

function unexpected(expected: string, value: unknown): TypeError {
  const type = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
  return new TypeError(`should be ${expected} but is ${type}.`)
}
