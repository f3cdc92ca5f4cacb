import { comparing, EQUATABLE, type Operator, WITH_METADATA } from './operator.ts'

export const neqOperator: Operator = {
  name: 'neq',
  form: 'neq(field, value)',
  doc: 'The opposite of `eq`; `neq(field, null)`: the field is present. `neq(metadata_key, "k")` finds runs without that key.',
  examples: ['neq(name, "monitor step")', 'neq(error, null)'],
  read: comparing('neq', [...EQUATABLE, ...WITH_METADATA], true),
}
