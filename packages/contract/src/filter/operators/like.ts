import { comparing, type Operator, TEXTUAL } from './operator.ts'

export const likeOperator: Operator = {
  name: 'like',
  form: 'like(field, pattern)',
  doc: 'The text fits the pattern, in which `%` stands for any text; case does not matter. Without `%` the whole text must fit.',
  examples: ['like(name, "%agent%")', 'like(inputs, "%refund%")'],
  read: comparing('like', TEXTUAL, false),
}
