import { comparing, type Operator, TEXTUAL } from './operator.ts'

export const notlikeOperator: Operator = {
  name: 'notlike',
  form: 'notlike(field, pattern)',
  doc: 'The opposite of `like`.',
  examples: ['notlike(name, "test-%")'],
  read: comparing('notlike', TEXTUAL, false),
}
