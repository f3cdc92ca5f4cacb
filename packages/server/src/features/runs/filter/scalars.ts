import type { Comparison, FilterScalar } from '@touchstone/contract'
import {
  any,
  type Bound,
  containsText,
  decimal,
  decimals,
  FALSE,
  type Fragment,
  float,
  floats,
  literal,
  matchesPattern,
  sql,
  text,
  texts,
  time,
  times,
  uint,
  uuid,
  uuids,
} from '../../../storage/analytics/sql.ts'
import { type Clause, withNegation } from './context.ts'

type Value = string | number | boolean

/** A column with one value per run (or per feedback record), as SQL. */
export interface Scalar {
  readonly value: Fragment
  readonly isAbsent: Fragment
  readonly type: ScalarType
}

/** How filter values are compared with columns of a type. */
export interface ScalarType {
  readonly bind: (value: Value) => Bound
  /** Whether a column has one of the values. They are bound as one array, whose length hardly affects the cost. */
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

/** @param absence  how an absent value is stored: as null, as '' (text only), or not at all */
export function column(name: string, kind: Kind, absence: 'never' | 'null' | 'empty'): Scalar {
  const isAbsent = absence === 'never' ? FALSE : literal(absence === 'null' ? `${name} is null` : `${name} = ''`)
  return { value: literal(name), isAbsent, type: TYPES[kind] }
}

/** Signs of the ordering operators. */
const ORDER_SIGNS: Partial<Record<Comparison['op'], Fragment>> = {
  gt: literal('>'),
  gte: literal('>='),
  lt: literal('<'),
  lte: literal('<='),
}

export function getOrderSign(op: Comparison['op']): Fragment {
  const sign = ORDER_SIGNS[op]
  if (sign === undefined) throw new Error(`${op} is not an ordering operator`)
  return sign
}

/** Compares a column that has one value. Negative operators are exact complements: an absent value satisfies them. */
export function compareScalar(scalar: Scalar, clause: Clause): Fragment {
  return compareColumn(clause, scalar)
}

const compareColumn = withNegation(({ op, value }: Clause, scalar: Scalar): Fragment => {
  switch (op) {
    case 'in':
      return isOneOf(scalar, value as readonly FilterScalar[])
    case 'eq':
      return equals(scalar, value as FilterScalar)
    case 'like':
      return ifPresent(scalar, matchesPattern(scalar.value, String(value)))
    case 'search':
      return ifPresent(scalar, containsText(scalar.value, String(value)))
    default:
      return ifPresent(scalar, sql`${scalar.value} ${getOrderSign(op)} ${scalar.type.bind(value as number)}`)
  }
})

function equals(scalar: Scalar, value: FilterScalar): Fragment {
  return value === null ? scalar.isAbsent : ifPresent(scalar, sql`${scalar.value} = ${scalar.type.bind(value)}`)
}

function isOneOf(scalar: Scalar, list: readonly FilterScalar[]): Fragment {
  const values = list.filter((item) => item !== null)
  const conditions: Fragment[] = []
  if (values.length < list.length) conditions.push(scalar.isAbsent)
  const [first, ...others] = values
  if (first !== undefined) {
    conditions.push(
      others.length === 0 ? equals(scalar, first) : ifPresent(scalar, scalar.type.isIn(scalar.value, values)),
    )
  }
  return any(conditions)
}

function ifPresent(scalar: Scalar, condition: Fragment): Fragment {
  return scalar.isAbsent === FALSE ? condition : sql`ifNull(not (${scalar.isAbsent}) and ${condition}, false)`
}
