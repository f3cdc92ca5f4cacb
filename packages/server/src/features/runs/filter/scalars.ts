import type { Comparison, FilterScalar } from '@touchstone/contract'
import {
  type Bound,
  decimal,
  decimals,
  type Fragment,
  float,
  floats,
  literal,
  sql,
  text,
  texts,
  time,
  times,
  uint,
  uuid,
  uuids,
} from '../../../storage/analytics/sql.ts'
import { any, FALSE, not } from './logic.ts'
import { contains, fits } from './pattern.ts'

type Value = string | number | boolean

/** A column of one value per run (or per feedback record), as SQL. */
export interface Scalar {
  readonly value: Fragment
  /** Whether it is absent. */
  readonly isAbsent: Fragment
  readonly type: ScalarType
}

/** How values of the filter are compared with columns of a type. */
export interface ScalarType {
  /** Binds a value of the filter. */
  readonly bind: (value: Value) => Bound
  /** Whether a column is one of some values, which are bound as one array: its length costs the engine next to nothing. */
  readonly isIn: (column: Fragment, values: readonly Value[]) => Fragment
}

type Kind = 'uuid' | 'text' | 'time' | 'number' | 'decimal' | 'flag'

const isInTexts = (column: Fragment, values: readonly Value[]) => sql`${column} in ${texts(values.map(String))}`

export const TYPES: Readonly<Record<Kind, ScalarType>> = {
  uuid: {
    bind: (value) => uuid(String(value)),
    isIn: (column, values) => sql`${column} in ${uuids(values.map(String))}`,
  },
  text: { bind: (value) => text(String(value)), isIn: isInTexts },
  time: {
    bind: (value) => time(String(value)),
    isIn: (column, values) => sql`${column} in ${times(values.map(String))}`,
  },
  number: {
    bind: (value) => float(Number(value)),
    isIn: (column, values) => sql`(${column} + 0) in ${floats(values.map(Number))}`,
  },
  decimal: {
    bind: (value) => decimal(Number(value)),
    isIn: (column, values) => sql`accurateCastOrNull(${column}, 'Decimal(38, 18)') in ${decimals(values.map(Number))}`,
  },
  flag: {
    bind: (value) => uint(value ? 1 : 0),
    isIn: (column, values) => any([...new Set(values)].map((value) => sql`${column} = ${uint(value ? 1 : 0)}`)),
  },
}

/** A column that is never absent, is absent as null, or, when text, as ''. */
export function column(name: string, kind: Kind, absence: 'never' | 'null' | 'empty'): Scalar {
  const isAbsent = absence === 'never' ? FALSE : literal(absence === 'null' ? `${name} is null` : `${name} = ''`)
  return { value: literal(name), isAbsent, type: TYPES[kind] }
}

/** Signs of the ordering operators. */
export const ORDER: Readonly<Record<string, Fragment>> = {
  gt: literal('>'),
  gte: literal('>='),
  lt: literal('<'),
  lte: literal('<='),
}

/** A comparison of a column that has one value. The negative ones are exact complements: what is absent satisfies them. */
export function compareScalar(scalar: Scalar, { op, value }: Pick<Comparison, 'op' | 'value'>): Fragment {
  if (op === 'neq') return not(compareScalar(scalar, { op: 'eq', value }))
  if (op === 'nin') return not(compareScalar(scalar, { op: 'in', value }))
  if (op === 'notlike') return not(compareScalar(scalar, { op: 'like', value }))
  if (op === 'in') return isOneOf(scalar, value as readonly FilterScalar[])
  if (op === 'eq') return equals(scalar, value as FilterScalar)
  if (op === 'like') return present(scalar, fits(scalar.value, String(value)))
  if (op === 'search') return present(scalar, contains(scalar.value, String(value)))
  return present(scalar, sql`${scalar.value} ${ORDER[op]!} ${scalar.type.bind(value as number)}`)
}

function equals(scalar: Scalar, value: FilterScalar): Fragment {
  return value === null ? scalar.isAbsent : present(scalar, sql`${scalar.value} = ${scalar.type.bind(value)}`)
}

function isOneOf(scalar: Scalar, list: readonly FilterScalar[]): Fragment {
  const values = list.filter((one) => one !== null)
  const conditions: Fragment[] = []
  if (values.length < list.length) conditions.push(scalar.isAbsent)
  if (values.length === 1) conditions.push(equals(scalar, values[0]!))
  if (values.length > 1) conditions.push(present(scalar, scalar.type.isIn(scalar.value, values)))
  return any(conditions)
}

function present(scalar: Scalar, condition: Fragment): Fragment {
  return scalar.isAbsent === FALSE ? condition : sql`ifNull(not (${scalar.isAbsent}) and ${condition}, false)`
}
