import { type Comparison, toPositive } from '@touchstone/contract'
import { not } from '../../../storage/analytics/conditions.ts'
import type { Fragment } from '../../../storage/analytics/sql.ts'

/** An operator and its value, apart from the field. */
export type Clause = Pick<Comparison, 'op' | 'value'>

/** Extends a compiler of positive comparisons to the negative ones, which are exact complements. */
export function withNegation<C extends Clause, Rest extends unknown[]>(
  compile: (clause: C, ...rest: Rest) => Fragment,
): (clause: C, ...rest: Rest) => Fragment {
  return (clause, ...rest) => {
    const positive = toPositive(clause)
    return positive === undefined ? compile(clause, ...rest) : not(compile(positive, ...rest))
  }
}
