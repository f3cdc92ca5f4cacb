/**
 * A statement in ClickHouse SQL, its values separate from its text: `sql` binds every value as a typed parameter, so a
 * value can never become part of the text.
 */
export interface Sql {
  readonly text: string
  readonly params: Readonly<Record<string, unknown>>
}

/** A value with the ClickHouse type it is bound as. */
export interface Bound {
  readonly type: string
  readonly value: unknown
}

type Part = Bound | Fragment

/** Collects the parameters while a statement is printed; parameters are named by number. */
interface Printing {
  readonly params: Record<string, unknown>
  count: number
}

/** A piece of a statement, for composition; its values are bound when the whole statement is printed. */
export class Fragment implements Sql {
  #finished: Sql | undefined

  constructor(
    private readonly strings: readonly string[],
    private readonly parts: readonly Part[],
  ) {}

  get text(): string {
    return this.finished().text
  }

  get params(): Readonly<Record<string, unknown>> {
    return this.finished().params
  }

  /** Printed once: callers read both the text and the parameters. */
  private finished(): Sql {
    if (this.#finished === undefined) {
      const printing: Printing = { params: {}, count: 0 }
      this.#finished = { text: this.print(printing), params: printing.params }
    }
    return this.#finished
  }

  private print(printing: Printing): string {
    return this.strings.reduce((text, string, at) => {
      const part = this.parts[at - 1]!
      return text + (part instanceof Fragment ? part.print(printing) : bind(part, printing)) + string
    })
  }
}

/** Builds a statement: `sql\`select id from runs where name = ${text(name)}\``. Nested fragments are spliced in. */
export function sql(strings: TemplateStringsArray, ...parts: readonly Part[]): Fragment {
  return new Fragment(strings, parts)
}

/** Joins fragments with a literal separator, `and` by default. */
export function join(fragments: readonly Fragment[], separator = ' and '): Fragment {
  const strings = fragments.map((_, at) => (at === 0 ? '' : separator))
  return new Fragment([...strings, ''], fragments)
}

/** Trusted text that is not a value, such as a column or a direction. Never pass text of a caller. */
export function literal(trusted: string): Fragment {
  return new Fragment([trusted], [])
}

export const uuid = (value: string): Bound => ({ type: 'UUID', value })
export const uuids = (value: readonly string[]): Bound => ({ type: 'Array(UUID)', value })
export const text = (value: string): Bound => ({ type: 'String', value })
export const texts = (value: readonly string[]): Bound => ({ type: 'Array(String)', value })
export const uint = (value: number | bigint | string): Bound => ({ type: 'UInt64', value: String(value) })
export const uints = (value: readonly number[]): Bound => ({ type: 'Array(UInt64)', value })

/** A finite number, as text: the client does not send numbers from 2^53 on. */
export const float = (value: number): Bound => ({ type: 'Float64', value: String(value) })
/** Finite numbers as an array; -0 becomes 0, because sets distinguish them. */
export const floats = (values: readonly number[]): Fragment =>
  sql`arrayMap(number -> toFloat64(number), ${texts(values.map((value) => String(value + 0)))})`

/** A number as decimal text with the digits as written: 0.1 is a tenth, not the nearest float. */
export const decimal = (value: number): Bound => ({ type: 'Decimal(38, 18)', value: plainDigits(value) })
export const decimals = (values: readonly number[]): Fragment =>
  sql`arrayMap(number -> toDecimal128(number, 18), ${texts(values.map(plainDigits))})`

/** A time in the contract's printed form (`2025-07-10T04:42:19.024000Z`). */
export const time = (value: string): Bound => ({ type: "DateTime64(6,'UTC')", value: columnTime(value) })
export const times = (values: readonly string[]): Bound => ({
  type: "Array(DateTime64(6,'UTC'))",
  value: values.map(columnTime),
})

/** The contract's printed time as the column store reads and writes it: `2025-07-10 04:42:19.024000`. */
export function columnTime(printed: string): string {
  return `${printed.slice(0, 10)} ${printed.slice(11, 26)}`
}

/** The column store's time in the contract's printed form. */
export function printedTime(column: string): string {
  return `${column.slice(0, 10)}T${column.slice(11)}Z`
}

/** Without exponent, 18 digits after the point at most, 20 before. */
function plainDigits(value: number): string {
  const bounded = Math.max(-1e19, Math.min(1e19, value))
  const [digits = '', exponent = '0'] = String(Math.abs(bounded)).split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  const places = -Number(exponent)
  const decimals = places > 0 ? whole.padStart(places, '0') + fraction : fraction
  return `${bounded < 0 ? '-' : ''}${places > 0 ? '0' : whole}.${decimals.slice(0, 18) || '0'}`
}

function bind(part: Bound, printing: Printing): string {
  const name = `p${printing.count++}`
  printing.params[name] = part.value
  return `{${name}:${part.type}}`
}

/**
 * Splits an answer into rows: lines between `[` and `]`, with a comma after each line but the last.
 *
 * When a statement fails, the embedded engine keeps its partial output and puts it before the answer to the next
 * statement, also of another caller. So rows are counted from the last line that ends with `[`, which never occurs
 * inside a row.
 */
export function splitRows(answer: string): string[] {
  const begin = answer.lastIndexOf('[\n')
  const end = answer.lastIndexOf('\n]')
  if (begin < 0 || end < begin) throw new Error('the column store sent an answer without its end')
  const rows = answer.slice(begin + 2, end)
  return rows === '' ? [] : rows.split(',\n')
}

/** Conditions of these functions are never null, so that `not` is the exact complement. */
export const TRUE = literal('true')
export const FALSE = literal('false')

export function all(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? TRUE : sql`(${join(conditions, ' and ')})`
}

export function any(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? FALSE : sql`(${join(conditions, ' or ')})`
}

export function not(condition: Fragment): Fragment {
  return sql`not (${condition})`
}

/** Whether a text matches a pattern in which only `%` is special; ignores case. */
export function matchesPattern(column: Fragment, pattern: string): Fragment {
  return sql`lowerUTF8(${column}) like lowerUTF8(${escapePattern(pattern)})`
}

/** Whether a text contains another text; ignores case. */
export function containsText(column: Fragment, part: string): Fragment {
  return sql`position(lowerUTF8(${column}), lowerUTF8(${text(part)})) > 0`
}

/** ClickHouse also treats `_` and `\` as special; the filter language does not. */
function escapePattern(pattern: string): Bound {
  return text(pattern.replaceAll(/[\\_]/g, '\\$&'))
}

/** Digits after the point of a cost. */
const SCALE = 18

/**
 * Adds decimal texts as the engine prints them. Exact: costs have more digits than a number holds. Null without values.
 */
export function addDecimals(values: readonly (string | null)[]): string | null {
  const given = values.filter((value) => value !== null)
  if (given.length === 0) return null
  return printDecimal(given.reduce((sum, value) => sum + readDecimal(value), 0n))
}

/** A decimal of the store as a whole number of its last places, 10⁻¹⁸. */
export function readDecimal(text: string): bigint {
  const [whole, fraction = ''] = text.split('.') as [string, string?]
  return BigInt(whole + fraction.padEnd(SCALE, '0'))
}

function printDecimal(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(SCALE + 1, '0')
  const fraction = digits.slice(-SCALE).replace(/(?<!0)0+$/, '')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -SCALE)}${fraction && `.${fraction}`}`
}
