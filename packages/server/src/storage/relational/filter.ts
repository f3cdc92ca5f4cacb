import {
  ApiError,
  type Comparison,
  type Filter,
  type FilterScalar,
  type FilterValue,
  isLogical,
  isLongInteger,
  toPositive,
} from '@touchstone/contract'
import { isRecord, parseRecord } from '@touchstone/formats/guards'
import { and, not, or, type SQL, sql } from 'drizzle-orm'
import { arrayLiteral } from './columns.ts'
import { containsPattern, searchable, wildcardPattern } from './like.ts'

/** The columns of a table that the fields of a filter refer to. */
export interface FilterColumns {
  /** Field → column; names that end in `_time` are timestamps, all others text. */
  readonly fields: Readonly<Record<string, SQL>>
  /** A jsonb made by `searchable`: the column of `metadata` and the paths below it. */
  readonly metadata: SQL
}

/** Returns the condition of a filter; it is never null, so that `not` is the complement. */
export function filterToSql(filter: Filter, columns: FilterColumns): SQL {
  if (isLogical(filter)) {
    const args = filter.args.map((arg) => filterToSql(arg, columns))
    if (filter.op === 'not') return not(args[0]!)
    return sql`(${filter.op === 'and' ? and(...args) : or(...args)})`
  }
  if (filter.field === undefined) return sql`false`
  return sql`coalesce(${compare(filter, columns)}, false)`
}

/** A JSON value as a query parameter, converted like the stored values. */
export function toJsonb(value: unknown): SQL {
  return sql`${JSON.stringify(searchable(value))}::jsonb`
}

function compare(comparison: Comparison, columns: FilterColumns): SQL {
  const { op, field, value } = comparison
  const positive = toPositive(comparison)
  if (positive !== undefined) return sql`not ${filterToSql(positive, columns)}`
  if (field === 'metadata') return onMetadata(columns.metadata, op, value)
  if (field.startsWith('metadata.')) return atPath(columns.metadata, field.slice('metadata.'.length), op, value)
  return onColumn(columns.fields[field]!, field.endsWith('_time'), op, value)
}

function onColumn(column: SQL, isTime: boolean, op: Comparison['op'], value: FilterValue): SQL {
  const bound = (one: FilterScalar) => (isTime ? sql`${String(one)}::timestamptz` : sql`${storable(String(one))}`)
  const equals = (one: FilterScalar) => (one === null ? sql`${column} is null` : sql`${column} = ${bound(one)}`)
  const type = isTime ? sql`timestamptz[]` : sql`text[]`
  return compareWith(op, value, {
    text: column,
    equals,
    isIn: (values) => sql`${column} = any(${arrayLiteral(values.map((one) => storable(String(one))))}::${type})`,
    order: (sign) => sql`${column} ${sign} ${bound(value as FilterScalar)}`,
  })
}

/** Compares a value inside the metadata; a dot in the path separates levels. */
function atPath(metadata: SQL, path: string, op: Comparison['op'], value: FilterValue): SQL {
  const steps = sql.join(
    path.split('.').map((step) => sql`${storable(step)}`),
    sql`, `,
  )
  const at = sql`${metadata} #> array[${steps}]::text[]`
  const text = sql`${metadata} #>> array[${steps}]::text[]`
  const equals = (one: FilterScalar) => {
    if (one === null) return sql`${at} is null`
    return isLongInteger(one) ? isIn([one]) : sql`${at} = ${toJsonb(one)}`
  }
  const order = (sign: SQL) => {
    const given = value as FilterScalar
    const bound: FilterScalar = isLongInteger(given) ? Number(given) : given
    return sql`jsonb_typeof(${at}) = ${typeof bound === 'number' ? 'number' : 'string'} and ${at} ${sign} ${toJsonb(bound)}`
  }
  // The index has such an integer as JavaScript rounds it.
  const isIn = (values: readonly FilterScalar[]) => {
    const all = values.flatMap((one): FilterScalar[] => (isLongInteger(one) ? [one, Number(one)] : [one]))
    return sql`${at} = any(${arrayLiteral(all.map((one) => JSON.stringify(searchable(one))))}::jsonb[])`
  }
  return compareWith(op, value, { text, equals, isIn, order })
}

interface Side {
  readonly text: SQL
  readonly equals: (one: FilterScalar) => SQL
  /** Whether it is one of some values other than null; the values are one parameter. */
  readonly isIn: (values: readonly FilterScalar[]) => SQL
  readonly order: (sign: SQL) => SQL
}

const SIGNS: Partial<Record<Comparison['op'], SQL>> = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }

function compareWith(op: Comparison['op'], value: FilterValue, { text, equals, isIn, order }: Side): SQL {
  if (op === 'eq') return equals(value as FilterScalar)
  if (op === 'in') {
    const list = value as readonly FilterScalar[]
    const values = list.filter((one) => one !== null)
    const isAbsent = values.length < list.length ? equals(null) : sql`false`
    return values.length === 0 ? isAbsent : sql`(${isAbsent} or ${isIn(values)})`
  }
  if (op === 'exists') return sql`${text} is not null`
  const sign = SIGNS[op]
  if (sign !== undefined) return order(sign)
  const wanted = storable(String(value))
  return sql`${text} ilike ${op === 'search' ? containsPattern(wanted) : wildcardPattern(wanted)}`
}

/** `has` with a JSON object matches all its pairs; with another text it matches a key, like `exists`. */
function onMetadata(metadata: SQL, op: Comparison['op'], value: FilterValue): SQL {
  const pairs = op === 'has' ? parseRecord(String(value)) : undefined
  if (pairs !== undefined) return sql`${metadata} @> ${toJsonb(pairs)}`
  if (op === 'eq' && value === null) return sql`${metadata} = '{}'::jsonb`
  return atPath(metadata, String(value), 'exists', true)
}

const storable = (text: string) => searchable(text) as string

/**
 * Parses the `metadata` parameter of a list, a JSON object as text, for the comparison with stored values.
 *
 * @throws ApiError INVALID_REQUEST
 */
export function readMetadataQuery(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ApiError('INVALID_REQUEST', 'metadata is not valid JSON', { cause: error })
  }
  if (isRecord(value)) return searchable(value)
  throw new ApiError('INVALID_REQUEST', 'metadata is not a JSON object')
}
