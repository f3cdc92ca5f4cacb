import {
  type Comparison,
  type Filter,
  type FilterScalar,
  type FilterValue,
  isLogical,
  PROJECT_FILTERS,
  parseFilter,
} from '@touchstone/contract'
import { and, not, or, type SQL, sql } from 'drizzle-orm'
import { searchable } from './extra.ts'
import { projects } from './tables.ts'

/**
 * The condition of a filter in the filter language.
 *
 * @returns undefined for a blank text
 * @throws FilterError
 */
export function filterCondition(text: string | undefined): SQL | undefined {
  const filter = parseFilter(text ?? '', PROJECT_FILTERS)
  return filter && compile(filter)
}

/** Never null, so that `not` is the complement. */
function compile(filter: Filter): SQL {
  if (isLogical(filter)) {
    const args = filter.args.map(compile)
    if (filter.op === 'not') return not(args[0]!)
    return sql`(${filter.op === 'and' ? and(...args) : or(...args)})`
  }
  if (filter.field === undefined) return sql`false`
  return sql`coalesce(${compare(filter)}, false)`
}

function compare(comparison: Comparison): SQL {
  const { op, field, value } = comparison
  const opposite = OPPOSITES[op]
  if (opposite !== undefined) return sql`not ${compile({ op: opposite, field, value } as Comparison)}`
  if (field === 'metadata') return onMetadata(op, value)
  return field.startsWith('metadata.') ? atPath(field.slice('metadata.'.length), op, value) : onColumn(field, op, value)
}

const OPPOSITES: Partial<Record<Comparison['op'], Comparison['op']>> = { neq: 'eq', nin: 'in', notlike: 'like' }

const COLUMNS = {
  id: sql`${projects.id}::text`,
  name: sql`${projects.name}`,
  description: sql`${projects.description}`,
  start_time: sql`${projects.start_time}`,
  end_time: sql`${projects.end_time}`,
  reference_dataset_id: sql`${projects.reference_dataset_id}::text`,
}

function onColumn(field: string, op: Comparison['op'], value: FilterValue): SQL {
  const column = COLUMNS[field as keyof typeof COLUMNS]
  const isTime = field.endsWith('_time')
  const bound = (one: FilterScalar) => (isTime ? sql`${String(one)}::timestamptz` : sql`${storable(String(one))}`)
  const equals = (one: FilterScalar) => (one === null ? sql`${column} is null` : sql`${column} = ${bound(one)}`)
  return compareWith(op, value, {
    text: column,
    equals,
    order: (sign) => sql`${column} ${sign} ${bound(value as FilterScalar)}`,
  })
}

/** Dots go down the levels. */
function atPath(path: string, op: Comparison['op'], value: FilterValue): SQL {
  const steps = path.split('.').map(storable)
  const at = sql`${projects.metadata} #> array[${sql.join(
    steps.map((step) => sql`${step}`),
    sql`, `,
  )}]::text[]`
  const text = sql`${projects.metadata} #>> array[${sql.join(
    steps.map((step) => sql`${step}`),
    sql`, `,
  )}]::text[]`
  const equals = (one: FilterScalar) => (one === null ? sql`${at} is null` : sql`${at} = ${jsonb(one)}`)
  const order = (sign: SQL) =>
    sql`jsonb_typeof(${at}) = ${typeof value === 'number' ? 'number' : 'string'} and ${at} ${sign} ${jsonb(value)}`
  return compareWith(op, value, { text, equals, order })
}

interface Side {
  readonly text: SQL
  readonly equals: (one: FilterScalar) => SQL
  readonly order: (sign: SQL) => SQL
}

const SIGNS: Partial<Record<Comparison['op'], SQL>> = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }

function compareWith(op: Comparison['op'], value: FilterValue, { text, equals, order }: Side): SQL {
  if (op === 'eq') return equals(value as FilterScalar)
  if (op === 'in') return sql`(${or(...(value as readonly FilterScalar[]).map(equals), sql`false`)})`
  if (op === 'exists') return sql`${text} is not null`
  const sign = SIGNS[op]
  if (sign !== undefined) return order(sign)
  const pattern = storable(String(value)).replaceAll(/[\\_]/g, '\\$&')
  // A search finds the text anywhere; a pattern has `%` where anything may stand.
  return sql`${text} ilike ${op === 'search' ? `%${pattern.replaceAll('%', '\\%')}%` : pattern}`
}

/** `has` with a JSON object asks for all its pairs, with any other text for a key, as `exists` does. */
function onMetadata(op: Comparison['op'], value: FilterValue): SQL {
  const pairs = op === 'has' ? objectOf(String(value)) : undefined
  if (pairs !== undefined) return sql`${projects.metadata} @> ${jsonb(pairs)}`
  if (op === 'eq' && value === null) return sql`${projects.metadata} = '{}'::jsonb`
  return atPath(String(value), 'exists', true)
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const jsonb = (value: unknown) => sql`${JSON.stringify(searchable(value))}::jsonb`
const storable = (text: string) => searchable(text) as string
