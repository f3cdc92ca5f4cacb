import { andOperator } from './and.ts'
import { eqOperator } from './eq.ts'
import { existsOperator } from './exists.ts'
import { gtOperator } from './gt.ts'
import { gteOperator } from './gte.ts'
import { hasOperator } from './has.ts'
import { inOperator } from './in.ts'
import { likeOperator } from './like.ts'
import { ltOperator } from './lt.ts'
import { lteOperator } from './lte.ts'
import { neqOperator } from './neq.ts'
import { ninOperator } from './nin.ts'
import { notOperator } from './not.ts'
import { notlikeOperator } from './notlike.ts'
import type { Operator } from './operator.ts'
import { orOperator } from './or.ts'
import { searchOperator } from './search.ts'

/** In the order of the reference page. */
export const FILTER_OPERATORS: readonly Operator[] = [
  andOperator,
  orOperator,
  notOperator,
  eqOperator,
  neqOperator,
  gtOperator,
  gteOperator,
  ltOperator,
  lteOperator,
  inOperator,
  ninOperator,
  hasOperator,
  existsOperator,
  likeOperator,
  notlikeOperator,
  searchOperator,
]
