import { comparingList, EQUATABLE, type Operator } from './operator.ts'

export const inOperator: Operator = {
  name: 'in',
  form: 'in(field, [value, …])',
  doc: 'The field has one of the values.',
  examples: ['in(name, ["a", "b"])'],
  read: comparingList('in', EQUATABLE),
}
