import { comparing, type Operator, ORDERED } from './operator.ts'

export const gteOperator: Operator = {
  name: 'gte',
  form: 'gte(field, value)',
  doc: 'The field is greater or equal.',
  examples: ['gte(metadata.retries, 3)'],
  read: comparing('gte', ORDERED, false),
}
