import { comparing, type Operator, ORDERED } from './operator.ts'

export const gtOperator: Operator = {
  name: 'gt',
  form: 'gt(field, value)',
  doc: 'The field is greater. What is absent never is.',
  examples: ['gt(latency, "5s")', 'gt(start_time, "2024-01-01T00:00:00Z")'],
  read: comparing('gt', ORDERED, false),
}
