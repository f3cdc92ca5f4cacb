import { comparingList, EQUATABLE, type Operator } from './operator.ts'

export const ninOperator: Operator = {
  name: 'nin',
  form: 'nin(field, [value, …])',
  doc: 'The opposite of `in`.',
  examples: ['nin(status, ["pending", "error"])'],
  read: comparingList('nin', EQUATABLE),
}
