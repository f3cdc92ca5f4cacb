import type { Comparison, FilterScalar } from '@touchstone/contract'
import {
  type Bound,
  decimal,
  type Fragment,
  float,
  literal,
  sql,
  text,
  time,
  uint,
  uuid,
} from '../../../storage/analytics/sql.ts'
import { any, FALSE, not } from './logic.ts'
import { contains, fits } from './pattern.ts'

/** A column of one value per run (or per feedback record), as SQL. */
export interface Scalar {
  readonly value: Fragment
  /** Whether it is absent. */
  readonly isAbsent: Fragment
  /** Binds a value of the filter as the column's type. */
  readonly bind: (value: string | number | boolean) => Bound
}

type Kind = 'uuid' | 'text' | 'time' | 'number' | 'decimal' | 'flag'

const BIND: Readonly<Record<Kind, Scalar['bind']>> = {
  uuid: (value) => uuid(String(value)),
  text: (value) => text(String(value)),
  time: (value) => time(String(value)),
  number: (value) => float(Number(value)),
  decimal: (value) => decimal(Number(value)),
  flag: (value) => uint(value ? 1 : 0),
}

/** A column that is never absent, is absent as null, or, when text, as ''. */
export function column(name: string, kind: Kind, absence: 'never' | 'null' | 'empty'): Scalar {
  const isAbsent = absence === 'never' ? FALSE : literal(absence === 'null' ? `${name} is null` : `${name} = ''`)
  return { value: literal(name), isAbsent, bind: BIND[kind] }
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
  if (op === 'in') return any((value as readonly FilterScalar[]).map((one) => equals(scalar, one)))
  if (op === 'eq') return equals(scalar, value as FilterScalar)
  if (op === 'like') return present(scalar, fits(scalar.value, String(value)))
  if (op === 'search') return present(scalar, contains(scalar.value, String(value)))
  return present(scalar, sql`${scalar.value} ${ORDER[op]!} ${scalar.bind(value as number)}`)
}

function equals(scalar: Scalar, value: FilterScalar): Fragment {
  return value === null ? scalar.isAbsent : present(scalar, sql`${scalar.value} = ${scalar.bind(value)}`)
}

function present(scalar: Scalar, condition: Fragment): Fragment {
  return scalar.isAbsent === FALSE ? condition : sql`ifNull(not (${scalar.isAbsent}) and ${condition}, false)`
}
