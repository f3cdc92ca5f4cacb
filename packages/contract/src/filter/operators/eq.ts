import { comparing, EQUATABLE, type Operator, WITH_METADATA } from './operator.ts'

export const eqOperator: Operator = {
  name: 'eq',
  form: 'eq(field, value)',
  doc: 'The field has that value; `eq(field, null)`: it is absent. On tags: the run carries it. Text is compared exactly.',
  examples: ['eq(name, "my_chain")', 'eq(end_time, null)'],
  read: comparing('eq', [...EQUATABLE, ...WITH_METADATA], true),
}
