import { comparing, type Operator, ORDERED } from './operator.ts'

export const lteOperator: Operator = {
  name: 'lte',
  form: 'lte(field, value)',
  doc: 'The field is less or equal.',
  examples: ['lte(total_tokens, 5000)'],
  read: comparing('lte', ORDERED, false),
}
