import { comparing, type Operator, ORDERED } from './operator.ts'

export const ltOperator: Operator = {
  name: 'lt',
  form: 'lt(field, value)',
  doc: 'The field is less.',
  examples: ['lt(total_cost, 0.01)'],
  read: comparing('lt', ORDERED, false),
}
